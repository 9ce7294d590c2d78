"""bytes -> Document: reads a file with its weights."""

from __future__ import annotations

import errno
import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from irrun.diagnostics import Anchor, Diagnostic, IRError
from irrun.document.elements import elements_read
from irrun.document.encoding import decode
from irrun.document.faults import HostileMarkup
from irrun.document.files import opened
from irrun.document.parse import parse
from irrun.document.records import NetElement
from irrun.document.text import Repaired
from irrun.document.weights import Weights

if TYPE_CHECKING:
    from irrun.document.source_map import SourceMap

MOST_BYTES: Final = 1 << 30


@dataclass(frozen=True)
class Document:
    """An IR file as written; a ``fragment`` is a file with one or more bare ``<layer>`` elements at its root.

    ``data`` is the file in UTF-8, whatever its encoding.
    """

    path: Path | None
    data: bytes
    repaired: Repaired
    net: NetElement
    weights: Weights
    diagnostics: tuple[Diagnostic, ...]

    @property
    def fragment(self) -> bool:
        return self.repaired.fragment

    @functools.cached_property
    def source_map(self) -> SourceMap:
        from irrun.document.source_map import SourceMap

        return SourceMap(self.data, self.repaired.text, self.repaired.origin)


def read(source: Path | bytes, weights: Path | bytes | None = None) -> Document:
    """Read an IR from a file or from its bytes.

    The weights are those of the sibling ``.bin`` unless given. Faults that leave something to read become diagnostics
    of the document; IRError where nothing can be read. OSError is passed on.
    """
    if isinstance(source, bytes):
        return document(source, None, weights)
    try:
        return document(load(source), source, weights)
    except MemoryError:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM), os.fspath(source)) from None


def load(path: Path) -> bytes:
    """Return the bytes of a file; IRError where it exceeds the size limit of an IR."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(min(size, MOST_BYTES) + 1 if size else MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        fault = HostileMarkup(what=f"the file has more than {MOST_BYTES} bytes")
        raise IRError([fault.at(Anchor(offset=0))], str(path))
    return data


def document(data: bytes, path: Path | None = None, weights: Path | bytes | None = None) -> Document:
    """Read an IR from the bytes of the file at ``path``."""
    decoded = decode(data)
    filename = str(path) if path is not None else ""
    try:
        parsed = parse(decoded.data, elements_read)
    except IRError as error:
        raise IRError((*decoded.diagnostics, *error.diagnostics), filename) from None
    net, found = parsed.content
    found = (*decoded.diagnostics, *parsed.repaired.diagnostics, *found)
    return Document(path, decoded.data, parsed.repaired, net, _weights(path, weights), found)


def _weights(path: Path | None, given: Path | bytes | None) -> Weights:
    if isinstance(given, bytes):
        return Weights(None, given)
    if given is not None:
        with opened(given):
            return Weights(given)
    return Weights.beside(path) if path is not None else Weights(None)
