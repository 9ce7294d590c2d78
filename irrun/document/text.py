"""The text that is parsed in place of a file, and how places in it map back."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final, NamedTuple

from irrun.diagnostics import Diagnostic

_BEFORE_TAG: Final = re.compile(
    rb"(?>\s++|\xef\xbb\xbf|<!--.*?-->|<\?.*?\?>)*+<(?P<name>[A-Za-z_\x80-\xff][\w:.\x80-\xff-]*+)", re.S
)


class TextChange(NamedTuple):
    """Bytes of the file, from ``start`` up to ``end``, that were read as ``content``."""

    start: int
    end: int
    content: bytes


class Repaired:
    """The text that was parsed, and how to get from a place in it to the place in the file.

    ``ellipses`` are the offsets in the file of ellipses that stand for attributes.
    """

    def __init__(
        self,
        data: bytes,
        changes: tuple[TextChange, ...],
        diagnostics: tuple[Diagnostic, ...] = (),
        ellipses: tuple[int, ...] = (),
        *,
        fragment: bool,
    ) -> None:
        self.text: bytes = _apply(data, changes)
        self.diagnostics = diagnostics
        self.ellipses = ellipses
        self.fragment = fragment
        self._changes = changes
        self._begins: list[int] = []
        self._shifts = [0]
        for change in changes:
            self._begins.append(change.start + self._shifts[-1])
            self._shifts.append(self._shifts[-1] + len(change.content) - (change.end - change.start))

    def origin(self, offset: int) -> int:
        """The offset in the file of an offset in the text that was parsed."""
        index = bisect_right(self._begins, offset)
        if index and offset < self._begins[index - 1] + len(self._changes[index - 1].content):
            return self._changes[index - 1].start
        return offset - self._shifts[index]


def first_tag(data: bytes) -> str | None:
    """The name of the first element of a file; None where it does not begin like XML."""
    found = _BEFORE_TAG.match(data)
    return None if found is None else found["name"].decode(errors="replace")


def wrap_fragment(data: bytes) -> Repaired:
    """A file whose root is a bare ``<layer>``, or several, inside the elements it would stand in."""
    changes = wrapping(data)
    return Repaired(data, changes, fragment=bool(changes))


def wrapping(data: bytes) -> tuple[TextChange, ...]:
    """The changes that put bare layers inside the elements they would stand in."""
    found = _BEFORE_TAG.match(data)
    if found is None or found["name"] != b"layer":
        return ()
    start = found.start("name") - 1
    return TextChange(start, start, b"<net><layers>"), TextChange(len(data), len(data), b"</layers></net>")


def _apply(data: bytes, changes: tuple[TextChange, ...]) -> bytes:
    if not changes:
        return data
    parts, at = [], 0
    for change in changes:
        parts += [data[at : change.start], change.content]
        at = change.end
    return b"".join([*parts, data[at:]])
