"""The diagnostic record, which carries a finding from its source to any output format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import ClassVar, Literal, NamedTuple

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


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: its subject, the fault, and the expectation.

    ``declared`` and ``inferred`` are set where the finding is a contradiction between the file and inference.
    """

    code: str
    message: str
    anchor: Anchor = field(default_factory=Anchor)
    severity: Severity = Severity.ERROR
    layer: LayerRef | None = None
    port: str | None = None
    declared: str | None = None
    inferred: str | None = None
    notes: tuple[str, ...] = ()
    fix: Fix | None = None


class OpError(ValueError):
    """A fault of an operation, described without its place in a file.

    ``attribute`` is the name of the attribute as the IR spells it, ``input`` the input port counted from 0. ``code`` is
    the code of the diagnostic that the error turns into.
    """

    code: ClassVar[str] = "IR304"

    def __init__(self, message: str, *, attribute: str | None = None, input: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.attribute = attribute
        self.input = input


class IRError(Exception):
    """The IR cannot be used for the requested purpose; ``diagnostics`` hold the reasons."""

    def __init__(self, diagnostics: Iterable[Diagnostic], filename: str = "") -> None:
        self.diagnostics = tuple(diagnostics)
        self.filename = filename
        super().__init__(str(self))

    def __str__(self) -> str:
        first = self.diagnostics[0]
        layer = f'layer "{first.layer.name}" ({first.layer.type}): ' if first.layer is not None else ""
        more = len(self.diagnostics) - 1
        rest = f" (and {more} more)" if more else ""
        where = f"{self.filename}: " if self.filename else ""
        return f"{where}{layer}{first.message} [{first.code}]{rest}"


def near_match(word: str, candidates: Iterable[str]) -> str:
    """Return ``; did you mean X?`` where a candidate is close to ``word``, the empty text otherwise."""
    from difflib import get_close_matches

    by_lower = {candidate.lower(): candidate for candidate in candidates}
    lower = word.lower()
    close = [candidate for candidate in by_lower if candidate == lower or _one_slip(lower, candidate)]
    close.sort(key=lambda candidate: (candidate != lower, candidate[:1] != lower[:1]))
    close += get_close_matches(lower, list(by_lower), n=1, cutoff=0.7)
    return f"; did you mean {by_lower[close[0]]}?" if close else ""


def _one_slip(a: str, b: str) -> bool:
    """Return whether the words differ by one inserted, deleted, replaced, or transposed letter."""
    if len(a) > len(b):
        a, b = b, a
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return len(b) - len(a) == 1 and a[start:] == b[start + 1 :]
    if len(a) < 3:
        return False
    swapped = a[start : start + 2] == b[start : start + 2][::-1] and a[start + 2 :] == b[start + 2 :]
    return swapped or a[start + 1 :] == b[start + 1 :]


def listing(words: Iterable[object]) -> str:
    """Join words as ``a, b or c``."""
    items = [str(word) for word in words]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}" if items else "nothing"
