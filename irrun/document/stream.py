"""Streams the elements of a text while lxml parses it, keeping only those of the current piece in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Final, Protocol, overload

from lxml import etree

from irrun.document.text import first_tag
from irrun.jobs.progress import told

DEEPEST: Final = 255
PIECE: Final = 1 << 16

_INTERNAL_ERROR: Final = 1
_NO_MEMORY: Final = 2
_RESOURCE_LIMIT: Final = 114
_LIMITS: Final = {
    *(_INTERNAL_ERROR, _NO_MEMORY, _RESOURCE_LIMIT),
    etree.ErrorTypes.ERR_CDATA_NOT_FINISHED,
    etree.ErrorTypes.ERR_COMMENT_NOT_FINISHED,
    etree.ErrorTypes.ERR_NAME_TOO_LONG,
    etree.ErrorTypes.ERR_PI_NOT_FINISHED,
}
"""The errors of lxml for a well-formed text that exceeds its limits."""


class Unreadable(Exception):
    """A text that is malformed or too large, with the reason and the row that lxml states.

    ``is_limit`` holds for a text that is too large if it is well-formed.
    """

    def __init__(self, reason: str, row: int = 1, *, is_limit: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.row = row
        self.is_limit = is_limit


class Element(Protocol):
    """The part of an element of lxml that the reader uses."""

    @property
    def tag(self) -> str: ...

    @property
    def text(self) -> str | None: ...

    @property
    def attrib(self) -> Sized: ...

    def items(self) -> list[tuple[str, str]]: ...

    def keys(self) -> list[str]: ...

    def values(self) -> list[str]: ...

    @overload
    def get(self, name: str) -> str | None: ...

    @overload
    def get(self, name: str, default: str) -> str: ...

    def iter(self) -> Iterator[Element]: ...

    def iterchildren(self, *, reversed: bool) -> Iterator[Element]: ...

    def iterancestors(self) -> Iterator[Element]: ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Element]: ...

    @overload
    def __getitem__(self, index: int) -> Element: ...

    @overload
    def __getitem__(self, index: slice) -> list[Element]: ...

    def __delitem__(self, index: slice) -> None: ...


class _Parser(Protocol):
    """An incremental parser of lxml."""

    def feed(self, data: bytes) -> None: ...

    def close(self) -> Element: ...

    def read_events(self) -> Iterable[tuple[str, Element]]: ...


class Elements:
    """Reads a text piece by piece. ``open`` is the last element handed out before it was fully parsed.

    An open element has its tag and attributes, but not all of its text and children: iterate over ``children``, or call
    ``complete`` first. Each method may raise ``Unreadable``.
    """

    def __init__(self, text: bytes) -> None:
        name = (first_tag(text) or "").rpartition(":")[2]
        if not name:
            raise Unreadable("no element found")
        self.open: Element | None = None
        self._text = text
        pieces = (text[at : at + PIECE] for at in range(0, len(text), PIECE))
        self._pieces = iter(told(pieces, "reading", unit="bytes", total=len(text), count=len))
        self._root: Element | None = None
        self._ended = False
        # With resolve_entities=False, lxml starts again with the next piece after an unknown entity, without an error.
        self._parser: _Parser = etree.XMLPullParser(
            events=("start",),
            tag=f"{{*}}{name}",
            encoding="utf-8",
            resolve_entities="internal",
            load_dtd=False,
            no_network=True,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
            collect_ids=False,
        )

    def root(self) -> Element:
        """Return the outermost element, open."""
        while self._root is None:
            self._advance()
        self.open = self._root
        return self._root

    def children(self, parent: Element) -> Iterator[Element]:
        """Yield the children of an open element; each is discarded when the next is parsed.

        A child longer than a piece is handed out open and must be read to its end.
        """
        read = 0
        waited = False
        while True:
            whole = not self._is_open(parent)
            ready = parent[read:] if whole else parent[read:-1]
            yield from ready
            if whole:
                return
            read += len(ready)
            # The last child stays, because lxml may still append text behind it.
            discarded = min(read, len(parent) - 1) if read else 0
            del parent[:discarded]
            read -= discarded
            waited = waited and not ready
            if waited and len(parent) > read:
                self.open = parent[read]
                yield parent[read]
                self.complete(parent[read])
                read += 1
                waited = False
            else:
                self._advance()
                waited = True

    def complete(self, element: Element) -> None:
        """Parse until the element is complete."""
        while self._is_open(element):
            self._advance()

    def finish(self) -> None:
        """Parse the rest of the text and discard it."""
        while not self._ended:
            self._advance()
            element = self.root()
            while len(element):
                del element[:-1]
                element = element[0]

    def _advance(self) -> None:
        try:
            piece = next(self._pieces, None)
            if piece is not None:
                self._parser.feed(piece)
            else:
                self._parser.close()
                self._require_places()
                self._ended = True
        except etree.XMLSyntaxError as error:
            reason = error.msg.partition(", line ")[0]
            raise Unreadable(reason, error.position[0], is_limit=error.code in _LIMITS) from None
        for _, element in self._parser.read_events():
            if self._root is None:
                self._root = element

    def _require_places(self) -> None:
        """Raise ``Unreadable`` where expat, which finds places, does not accept a name that lxml accepts."""
        if not self._text.isascii():
            from irrun.document.source_map import is_accepted

            if not is_accepted(self._text):
                raise Unreadable("a name has a character that the first editions of XML do not allow")

    def _is_open(self, element: Element) -> bool:
        """Return whether an element is still open, that is, on the path of last children from the root."""
        last = self._root
        while not self._ended and last is not None:
            if last is element:
                return True
            last = next(last.iterchildren(reversed=True), None)
        return False


def tree(text: bytes) -> Element:
    """Return the outermost element of a text."""
    elements = Elements(text)
    root = elements.root()
    elements.complete(root)
    return root


def depth(element: Element) -> int:
    """Return the depth of the innermost elements of a complete element, where that of the root is 1."""
    level = [element]
    found = sum(1 for _ in element.iterancestors())
    while level:
        level = [child for item in level for child in item]
        found += 1
    return found
