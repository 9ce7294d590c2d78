"""The files that a command writes, and those that it reads, which it must not write over."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from irrun.cli.console import note
from irrun.cli.extending import extensions
from irrun.document.replacing import replacing
from irrun.evaluation.files.targets import refuse_inputs

if TYPE_CHECKING:
    from irrun.tensor import Array, ElementType

_STARTS: Final = re.compile("^|[=:]")
"""The places where the path of a file may begin in ``[NAME=]FILE``; names may hold these signs, too."""


def write_text(path: Path, text: str, read: Sequence[Path]) -> None:
    """Write a text to a file, which must be none of those that the command reads, and say so."""
    refuse_inputs([path], read)
    with replacing(path) as file:
        file.write(text.encode(errors="backslashreplace"))
    note(f"wrote {path}")


def write_arrays(path: Path, arrays: Mapping[str, tuple[Array, ElementType]], read: Sequence[Path]) -> None:
    """Write arrays to a file or a folder in the same way; also say which NumPy's types cannot hold."""
    from irrun.evaluation.files import saving

    for sentence in saving.widened(arrays):
        note(sentence)
    for written in saving.save(path, arrays, read):
        note(f"wrote {written}")


def read_files(model: Path, weights: Path | None = None, given: Sequence[str] = ()) -> list[Path]:
    """Return the files that a command reads: a model, its weights, the files of ``-i``, and extensions."""
    return [model, weights or model.with_suffix(".bin"), *given_files(given), *map(Path, extensions())]


def given_files(given: Sequence[str]) -> list[Path]:
    """Return the files that texts of the form ``[NAME=]FILE`` may stand for."""
    starts = [text[match.end() :] for text in given for match in _STARTS.finditer(text)]
    return [Path(path) for path in starts if os.path.isfile(path)]
