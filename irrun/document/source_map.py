"""Where things stand: from the ordinal of an element to line, column and bytes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from xml.parsers import expat

from irrun.diagnostics import Anchor

_ATTRIBUTE = r"\s({name})\s*=\s*(\"([^\"]*)\"|'([^']*)')"
_TAG = re.compile(rb"<(/?[\w:.-]+)")


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
    """Finds anchors in a file. ``data`` is the file, ``text`` what was parsed, ``origin`` maps offsets back."""

    def __init__(self, data: bytes, text: bytes | None = None, origin: Callable[[int], int] | None = None) -> None:
        self._data = data
        self._text = data if text is None else text
        self._origin = origin
        self._starts = element_starts(self._text)
        self._lines = [0, *(match.end() for match in re.finditer(rb"\r\n|\n|\r", data))]

    def locate(self, anchor: Anchor) -> Span:
        """The place of an anchor; the start of the file where the anchor has none."""
        if anchor.element is None:
            start = anchor.offset if anchor.offset is not None else 0
            return self.span(start, min(start + anchor.length, len(self._data)))
        start, end = self._in_text(anchor)
        if self._origin is not None:
            start, end = self._origin(start), self._origin(end)
        return self.span(start, end)

    def span(self, start: int, end: int) -> Span:
        """Rows and columns of a range of bytes."""
        row, column = self._position(start)
        end_row, end_column = self._position(end)
        return Span(start, end, row, column, end_row, end_column)

    def line(self, row: int) -> str:
        """The text of a line, counted from 1, without its end."""
        end = self._lines[row] if row < len(self._lines) else len(self._data)
        return self._data[self._lines[row - 1] : end].decode("utf-8", errors="replace").rstrip("\r\n")

    def _position(self, offset: int) -> tuple[int, int]:
        row = bisect_right(self._lines, offset)
        return row, len(self._data[self._lines[row - 1] : offset].decode("utf-8", errors="replace").lstrip("\ufeff")) + 1

    def _in_text(self, anchor: Anchor) -> tuple[int, int]:
        assert anchor.element is not None
        if anchor.element >= len(self._starts):
            return 0, 0
        start = self._starts[anchor.element]
        tag_end = _end_of_tag(self._text, start)
        if anchor.part == "text":
            end = self._text.find(b"<", tag_end)
            words = self._text[tag_end:end]
            if words.strip():
                lead = len(words) - len(words.lstrip())
                return tag_end + lead, tag_end + lead + len(words.strip())
        if anchor.attribute is not None:
            pattern = _ATTRIBUTE.format(name=re.escape(anchor.attribute)).encode()
            found = re.compile(pattern).search(self._text, start, tag_end)
            if found is not None:
                if anchor.part == "name":
                    return found.span(1)
                if anchor.part == "value":
                    return found.start(2) + 1, found.end(2) - 1
                return found.start(1), found.end(2)
        tag = _TAG.match(self._text, start)
        return (start, tag.end()) if tag is not None else (start, tag_end)


def element_starts(text: bytes) -> list[int]:
    """The byte offset of every start tag, by the ordinal of its element, as far as the text is well-formed."""
    starts: list[int] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda _name, _attributes: starts.append(parser.CurrentByteIndex)
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        return starts
    return starts


def _end_of_tag(text: bytes, start: int) -> int:
    quote = 0
    for index in range(start, len(text)):
        byte = text[index]
        if quote:
            quote = 0 if byte == quote else quote
        elif byte in b"\"'":
            quote = byte
        elif byte == 0x3E:
            return index + 1
    return len(text)
