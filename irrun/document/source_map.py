"""Maps ordinals of elements to line, column and bytes of the file."""

from __future__ import annotations

import functools
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

from irrun.diagnostics import Anchor
from irrun.document.encoding import decode

_PIECE: Final = 1 << 16
_TAG: Final = re.compile(rb"<(/?[^\s<>/=\"']*)")
_END_OF_TAG: Final = re.compile(rb"(?:[^>\"']|\"[^\"]*+\"|'[^']*+')*+>?")
_ATTRIBUTE: Final = re.compile(rb"\s+([^\s=<>\"'/]+)\s*=\s*(\"[^\"]*+\"|'[^']*+')")
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Span:
    """A range of a file: bytes from ``start`` up to ``end``, rows and columns from 1, columns in characters."""

    start: int
    end: int
    row: int
    column: int
    end_row: int
    end_column: int


class SourceMap:
    """Locates anchors in a file; built on first use.

    ``data`` is the file, ``text`` the text that was parsed instead where the two differ, and ``origin`` maps offsets in
    ``text`` to offsets in ``data``. Offsets count bytes of the file in UTF-8, whatever its encoding was.
    """

    def __init__(self, data: bytes, text: bytes | None = None, origin: Callable[[int], int] | None = None) -> None:
        self._data = decode(data).data
        self._text = self._data if text is None else text
        self._origin = origin
        self._reached = (0, 0, 0)
        self._last: tuple[int, _Tag] | None = None
        self._line: tuple[int, str] = 0, ""

    def locate(self, anchor: Anchor) -> Span:
        """Return the place of an anchor; the start of the file for an anchor without a place."""
        if anchor.element is None:
            start = min(anchor.offset if anchor.offset is not None else 0, len(self._data))
            return self.span(start, min(start + anchor.length, len(self._data)))
        start, end = self._in_text(anchor.element, anchor)
        if self._origin is not None:
            start, end = self._origin(start), self._origin(end)
        return self.span(start, end)

    def span(self, start: int, end: int) -> Span:
        """Return the rows and columns of a range of bytes."""
        row, column = self._position(start)
        end_row, end_column = self._position(end)
        return Span(start, end, row, column, end_row, end_column)

    def line(self, row: int) -> str:
        """Return the text of a line, counted from 1, without its line end."""
        if self._line[0] != row:
            lines = self._lines
            end = lines[row] if row < len(lines) else len(self._data)
            text = self._data[lines[row - 1] : end].decode("utf-8", errors="replace")
            self._line = row, text.rstrip("\r\n").removeprefix("\ufeff")
        return self._line[1]

    @functools.cached_property
    def _starts(self) -> array[int]:
        return element_starts(self._text)

    @functools.cached_property
    def _lines(self) -> array[int]:
        lines = array("I", map(re.Match.end, _LINE_END.finditer(self._data)))
        lines.insert(0, 0)
        return lines

    @functools.cached_property
    def _ascii(self) -> bool:
        return self._data.isascii()

    def _position(self, offset: int) -> tuple[int, int]:
        row = bisect_right(self._lines, offset)
        begin = self._lines[row - 1]
        if self._ascii:
            return row, offset - begin + 1
        line, reached, characters = self._reached
        if line != begin or reached > offset:
            reached, characters = begin, 0
        text = self._data[reached:offset].decode("utf-8", errors="replace")
        characters += len(text) if reached else len(text.removeprefix("\ufeff"))
        self._reached = begin, offset, characters
        return row, characters + 1

    def _in_text(self, element: int, anchor: Anchor) -> tuple[int, int]:
        if element >= len(self._starts):
            return len(self._text), len(self._text)
        if self._last is None or self._last[0] != element:
            self._last = element, _Tag(self._text, self._starts[element])
        found = self._last[1]
        start, tag_end = found.start, found.end
        if anchor.part == "text":
            words = self._text[tag_end : self._text.find(b"<", tag_end)]
            if words.strip():
                begin = tag_end + len(words) - len(words.lstrip())
                return begin, begin + len(words.strip())
        if anchor.attribute is not None:
            spans = found.attributes.get(anchor.attribute.encode())
            if spans is not None:
                name, value = spans
                return name if anchor.part == "name" else value if anchor.part == "value" else (name[0], value[1] + 1)
        tag = _TAG.match(self._text, start)
        return start, tag.end() if tag is not None else tag_end


class _Tag:
    """The bytes of a start tag, and those of the name and the value of each of its attributes."""

    def __init__(self, text: bytes, start: int) -> None:
        self.start = start
        self.end = end_of_tag(text, start)
        self._text = text

    @functools.cached_property
    def attributes(self) -> dict[bytes, tuple[tuple[int, int], tuple[int, int]]]:
        spans: dict[bytes, tuple[tuple[int, int], tuple[int, int]]] = {}
        for found in _ATTRIBUTE.finditer(self._text, self.start, self.end):
            spans.setdefault(found[1], (found.span(1), (found.start(2) + 1, found.end(2) - 1)))
        return spans


def end_of_tag(text: bytes, start: int) -> int:
    """Return the offset behind a tag."""
    found = _END_OF_TAG.match(text, start)
    return found.end() if found is not None else len(text)


def attributes_of(tag: bytes) -> list[tuple[bytes, bytes]]:
    """Return the attributes of a tag by name, with the quotes of their values."""
    return [(found[1], found[2]) for found in _ATTRIBUTE.finditer(tag)]


def element_starts(text: bytes) -> array[int]:
    """Return the byte offset of every start tag, by the ordinal of its element, up to the first malformed place."""
    starts = array("I")
    parser = expat.ParserCreate("utf-8")
    parser.ordered_attributes = True
    parser.StartElementHandler = lambda _name, _attributes: starts.append(parser.CurrentByteIndex)
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        return starts
    return starts


def is_accepted(text: bytes) -> bool:
    """Return whether expat finds no malformed place in a text."""
    parser = expat.ParserCreate("utf-8")
    try:
        for piece in pieces(text):
            parser.Parse(piece)
        parser.Parse(b"", True)
    except expat.ExpatError:
        return False
    return True


def pieces(text: bytes) -> Iterator[memoryview]:
    """Split a text into pieces for expat.

    Where a handler raises, expat still parses the rest of the piece it was given. Each piece is as long as all before
    it, because expat restarts a tag that a piece breaks off.
    """
    whole = memoryview(text)
    start, end = 0, _PIECE
    while start < len(text):
        yield whole[start:end]
        start, end = end, 2 * end
