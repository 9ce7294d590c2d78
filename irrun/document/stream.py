"""Streams the elements of a text while it is parsed, keeping only those of the current piece in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser
from xml.parsers.expat import ExpatError, ParserCreate

DEEPEST: Final = 255
LONGEST: Final = 10_000_000
PIECE: Final = 1 << 16


class TooLarge(Exception):
    """Elements are nested too deep, or a text is too long, for any IR."""


Unreadable: Final = (ParseError, ExpatError, TooLarge)
"""Errors raised for a text that is malformed or exceeds the limits of an IR."""


class Elements:
    """Reads a text piece by piece. ``open`` is the last element handed out before it was fully parsed.

    An open element has its tag and attributes, but not all of its text and children: iterate over ``children``, or call
    ``complete`` first. Each method may raise one of ``Unreadable``.
    """

    def __init__(self, text: bytes) -> None:
        if _holds_long_text(text):
            raise TooLarge
        self.open: Element | None = None
        self._text = memoryview(text)
        self._at = 0
        self._ended = False
        builder = TreeBuilder()
        self._above = builder.start("", {})
        self._parser = XMLParser(target=builder, encoding="utf-8")

    def root(self) -> Element:
        """Return the outermost element, open."""
        while not len(self._above):
            self._advance()
        self.open = self._above[0]
        return self.open

    def children(self, parent: Element) -> Iterator[Element]:
        """Yield the children of an open element; each is discarded when the next is parsed.

        A child longer than a piece is handed out open and must be read to its end.
        """
        waited = False
        while True:
            whole = not self._is_open(parent)
            ready = list(parent) if whole else parent[:-1]
            yield from ready
            del parent[: len(ready)]
            if whole:
                return
            waited = waited and not ready
            if waited and len(parent):
                self.open = parent[0]
                yield parent[0]
                self.complete(parent[0])
                del parent[0]
                waited = False
            else:
                self._advance()
                waited = True

    def complete(self, element: Element) -> None:
        """Parse until the element is complete."""
        while self._is_open(element):
            self._advance()

    def _advance(self) -> None:
        if self._at < len(self._text):
            self._parser.feed(self._text[self._at : self._at + PIECE])
            self._at += PIECE
        else:
            self._parser.close()
            self._ended = True

    def _is_open(self, element: Element) -> bool:
        """Return whether an element is still open, that is, on the path of last children from the root."""
        last = self._above
        depth = 0
        while not self._ended and len(last):
            last = last[-1]
            if last is element:
                return True
            depth += 1
            if depth > DEEPEST:
                raise TooLarge
        return False


def _holds_long_text(text: bytes) -> bool:
    """Return whether ``LONGEST`` bytes or more follow each other without a tag."""
    at = 0
    while at + LONGEST <= len(text):
        tag = text.rfind(b"<", at, at + LONGEST)
        if tag < 0:
            return True
        at = tag + 1
    return False


def pieces(text: bytes) -> Iterator[memoryview]:
    """Split a text into pieces.

    Where a handler raises, expat still parses the rest of the piece it was given. Each piece is as long as all before
    it, because expat restarts a tag that a piece breaks off.
    """
    whole = memoryview(text)
    start, end = 0, PIECE
    while start < len(text):
        yield whole[start:end]
        start, end = end, 2 * end


def check(text: bytes) -> None:
    """Raise one of ``Unreadable`` unless a text is well-formed and not nested too deep."""
    parser = ParserCreate("utf-8", "}")
    opened = 0

    def start(_name: str, _attributes: object) -> None:
        nonlocal opened
        opened += 1
        if opened > DEEPEST:
            raise TooLarge

    def end(_name: str) -> None:
        nonlocal opened
        opened -= 1

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    for piece in pieces(text):
        parser.Parse(piece)
    parser.Parse(b"", True)


def depth(element: Element) -> int:
    """Return the nesting depth of a complete element, itself included."""
    level = [element]
    found = 0
    while level:
        level = [child for item in level for child in item]
        found += 1
    return found
