"""Byte edits of ports, attributes and tags that leave all other bytes of a file unchanged."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from irrun.diagnostics import Anchor, Edit, Fix, Suggestion
from irrun.document import Document
from irrun.document.records import PortElement

_START_TAG: Final = re.compile(rb"<[\w:.-]+(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*?(?P<closing>\s*/)?>")
_DIM: Final = re.compile(rb"<dim\s*(?:/>|>(?P<text>[^<]*+)</dim\s*>)")
_NAME: Final = re.compile(rb"</?(?P<name>[\w:.-]+)")
_WITH_DIMS: Final = re.compile(rb"(?P<line>\r?\n)(?P<indent>[ \t]*)<port\b[^<>]*>\s*?\n(?P<inner>[ \t]*)<dim>")
_WITHOUT_DIMS: Final = re.compile(rb"<port\b[^<>]*?(?P<closing>\s*/>)")


class _Dim(NamedTuple):
    """A ``<dim>``: its range of bytes, the range of its text, and the preceding white space."""

    start: int
    end: int
    text: tuple[int, int] | None
    before: str


class Editor:
    """Makes the edits of one document, in bytes of the file in UTF-8."""

    def __init__(self, document: Document) -> None:
        self._data = document.data
        self._map = document.source_map

    def suggested(self, suggestion: Suggestion) -> Fix | None:
        """Return the fix that writes a suggestion to its place; None where the place does not allow it."""
        anchor, text = suggestion
        element, attribute = anchor.element, anchor.attribute or ""
        if element is None:
            return None
        match anchor.part:
            case "tag":
                message, edits = f"write <{text}>", self.tag(element, text)
            case "name":
                message, edits = f"rename {attribute} to {text}", self.name(element, attribute, text)
            case _:
                message, edits = f'write {attribute}="{text}"', self.value(element, attribute, text)
        return Fix(message, edits, "unsafe") if edits else None

    def value(self, element: int, attribute: str, content: str) -> tuple[Edit, ...]:
        """Replace the value of an attribute; no edit where there is no such attribute."""
        return self._attribute(element, attribute, content, Anchor(element, "value", attribute))

    def name(self, element: int, attribute: str, content: str) -> tuple[Edit, ...]:
        """Rename an attribute; no edit where it does not exist or the new name does."""
        if self.has(element, content):
            return ()
        return self._attribute(element, attribute, content, Anchor(element, "name", attribute))

    def has(self, element: int, attribute: str) -> bool:
        """Return whether an element has an attribute."""
        tag = self._tag(element)
        return tag is not None and re.search(rb"\s%b\s*=" % re.escape(attribute.encode()), tag[0]) is not None

    def added(self, element: int, behind: str, name: str, value: str) -> tuple[Edit, ...]:
        """Add an attribute after another one."""
        if self.has(element, name) or not self.has(element, behind):
            return ()
        end = self._map.locate(Anchor(element, "attribute", behind)).end
        return (Edit(end, end, f' {name}="{value}"'),)

    def tag(self, element: int, content: str) -> tuple[Edit, ...]:
        """Rename an element, in its start tag and its end tag."""
        tag = self._tag(element)
        if tag is None:
            return ()
        start, end = tag.start() + 1, tag.end()
        found = _NAME.match(self._data, tag.start())
        name = b"" if found is None else found["name"]
        opening = Edit(start, start + len(name), content)
        if tag["closing"] is not None:
            return (opening,)
        closing = self._closing(name, end)
        return () if closing is None else (opening, Edit(closing, closing + len(name), content))

    def sizes(self, port: PortElement, sizes: Sequence[str], axes: Collection[int] | None) -> tuple[Edit, ...]:
        """Replace the dims of a port: those of ``axes``, or all of them where ``axes`` is None."""
        dims = self._dims(port)
        tag = self._tag(port.element)
        if dims is None or tag is None:
            return ()
        if axes is not None:
            return tuple(self._size(dims[axis], sizes[axis]) for axis in sorted(axes))
        if not dims:
            return (self._first_dims(tag, sizes),)
        if not sizes:
            return self._no_dims(tag, dims)
        return tuple(self._aligned(port, dims, sizes))

    def size(self, port: PortElement, axis: int, size: str) -> tuple[Edit, ...]:
        """Replace the text of one ``<dim>``."""
        return self.sizes(port, [size] * len(port.dims), (axis,))

    def _attribute(self, element: int, attribute: str, content: str, anchor: Anchor) -> tuple[Edit, ...]:
        if not self.has(element, attribute):
            return ()
        place = self._map.locate(anchor)
        return (Edit(place.start, place.end, content),)

    def _tag(self, element: int) -> re.Match[bytes] | None:
        return _START_TAG.match(self._data, self._map.locate(Anchor(element)).start)

    def _closing(self, name: bytes, at: int) -> int | None:
        """Return the offset of the name in the end tag of the element whose start tag ends at ``at``."""
        depth = 1
        same = re.compile(rb"<!--.*?-->|<(?P<end>/?)%b(?![\w:.-])[^<>]*>" % re.escape(name), re.S)
        for found in same.finditer(self._data, at):
            if found["end"] is None or found[0].endswith(b"/>"):
                continue
            depth += -1 if found["end"] else 1
            if depth == 0:
                return found.end("end")
        return None

    def _dims(self, port: PortElement) -> list[_Dim] | None:
        tag = self._tag(port.element)
        if tag is None:
            return None
        dims: list[_Dim] = []
        end = tag.end()
        for element in port.dim_elements:
            found = _DIM.match(self._data, self._map.locate(Anchor(element)).start)
            if found is None:
                return None
            between = self._data[end : found.start()]
            before = between[len(between.rstrip()) :].decode()
            text = found.span("text") if found["text"] is not None else None
            dims.append(_Dim(found.start(), found.end(), text, before))
            end = found.end()
        return dims

    def _size(self, dim: _Dim, size: str) -> Edit:
        if dim.text is None:
            return Edit(dim.start, dim.end, _dim(size))
        start, end = dim.text
        text = self._data[start:end]
        if text.strip():
            start += len(text) - len(text.lstrip())
            end -= len(text) - len(text.rstrip())
        return Edit(start, end, size)

    def _aligned(self, port: PortElement, dims: Sequence[_Dim], sizes: Sequence[str]) -> Iterator[Edit]:
        """Replace all dims, keeping those that are right and adding or removing as few as possible."""
        matcher = difflib.SequenceMatcher(None, port.dims, sizes)
        for what, begin, end, first, last in matcher.get_opcodes():
            if what == "equal":
                continue
            both = min(end - begin, last - first)
            for index in range(both):
                yield self._size(dims[begin + index], sizes[first + index])
            for dim in dims[begin + both : end]:
                yield Edit(dim.start - len(dim.before.encode()), dim.end, "")
            if first + both < last:
                yield self._inserted(dims, begin + both, sizes[first + both : last])

    def _inserted(self, dims: Sequence[_Dim], at: int, sizes: Sequence[str]) -> Edit:
        before = dims[0].before
        if at == 0:
            return Edit(dims[0].start, dims[0].start, "".join(_dim(size) + before for size in sizes))
        place = dims[at - 1].end
        return Edit(place, place, "".join(before + _dim(size) for size in sizes))

    def _first_dims(self, tag: re.Match[bytes], sizes: Sequence[str]) -> Edit:
        """Add dims to a port without any, formatted like the first port in the file that has some."""
        line, inner = "", ""
        style = _WITH_DIMS.search(self._data)
        begin = self._data.rfind(b"\n", 0, tag.start()) + 1
        indent = self._data[begin : tag.start()]
        if style is not None and not indent.strip():
            line = style["line"].decode() + indent.decode()
            inner = line + style["inner"].removeprefix(style["indent"]).decode()
        content = "".join(inner + _dim(size) for size in sizes)
        if tag["closing"] is None:
            return Edit(tag.end(), tag.end(), content)
        return Edit(tag.start("closing"), tag.end(), f">{content}{line}</port>")

    def _no_dims(self, tag: re.Match[bytes], dims: Sequence[_Dim]) -> tuple[Edit, ...]:
        """Remove the dims of a port, using an empty-element tag where the file does."""
        style = _WITHOUT_DIMS.search(self._data)
        rest = re.compile(rb"\s*</port\s*>").match(self._data, dims[-1].end)
        inside = b"".join(self._data[a.end : b.start] for a, b in itertools.pairwise(dims))
        if style is not None and rest is not None and not inside.strip():
            return (Edit(tag.end() - 1, rest.end(), style["closing"].decode()),)
        return tuple(Edit(dim.start - len(dim.before.encode()), dim.end, "") for dim in dims)


def _dim(size: str) -> str:
    return f"<dim>{size}</dim>"
