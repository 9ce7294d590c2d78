"""The diagnostic record, which carries a finding from its source to any output format."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Literal, NamedTuple

Dims = tuple[str, ...]


class Severity(IntEnum):
    INFO = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


class Anchor(NamedTuple):
    """A place in a file without line numbers: the ordinal of an element and a part of that element.

    ``part`` is ``tag`` for the element's name; ``attribute`` for the whole of ``attribute``, ``name`` and ``value`` for
    its halves; ``text`` for the character data of the element. ``offset`` and ``length``, in bytes, locate a place
    outside any element.
    """

    element: int | None = None
    part: Literal["tag", "attribute", "name", "value", "text"] = "tag"
    attribute: str | None = None
    offset: int | None = None
    length: int = 1


class Suggestion(NamedTuple):
    """The text that was probably meant at a place: the name of an element or attribute, or a value."""

    anchor: Anchor
    text: str


class LayerRef(NamedTuple):
    """The layer that a diagnostic is about, as spelt in the file."""

    id: str
    name: str
    type: str
    version: str


class Edit(NamedTuple):
    """A replacement of the bytes from ``start`` up to ``end`` by ``content``."""

    start: int
    end: int
    content: str


class Fix(NamedTuple):
    message: str
    edits: tuple[Edit, ...]
    applicability: Literal["safe", "unsafe"] = "safe"


class Diagnostic(NamedTuple):
    """A finding: its subject, the fault, and the expectation.

    ``declared`` and ``inferred`` are set where the finding is a contradiction between the file and inference;
    ``suggestion`` where the message names a likely correction. ``fix`` holds the edits of the file.
    """

    code: str
    message: str
    anchor: Anchor = Anchor()
    severity: Severity = Severity.ERROR
    layer: LayerRef | None = None
    port: str | None = None
    declared: str | None = None
    inferred: str | None = None
    notes: tuple[str, ...] = ()
    suggestion: Suggestion | None = None
    fix: Fix | None = None


class IRError(RuntimeError):
    """The IR cannot be used for the requested purpose; ``diagnostics`` hold the reasons."""

    def __init__(self, diagnostics: Iterable[Diagnostic], filename: str = "") -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        self.filename = filename
        super().__init__(str(self))

    def __str__(self) -> str:
        first = self.diagnostics[0]
        layer = f'layer "{first.layer.name}" ({first.layer.type}): ' if first.layer is not None else ""
        more = len(self.diagnostics) - 1
        rest = f" (and {more} more)" if more else ""
        where = f"{self.filename}: " if self.filename else ""
        return f"{where}{layer}{first.message} [{first.code}]{rest}"
