"""Repairs obvious slips in malformed XML, so that the rest of the file can be checked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, Edit, Fix
from irrun.document.faults import MalformedXml
from irrun.document.stream import DEEPEST
from irrun.document.text import Repaired, TextChange, wrapping

MOST_SLIPS: Final = 10_000
"""The limit on repairs; a file with more slips is not worth repairing."""

_OPENING: Final = re.compile(rb"<(?=[A-Za-z_/!?])")
_TAG: Final = re.compile(rb"</?(?P<name>[A-Za-z_][\w:.-]*+)(?:[^<>\"']|\"[^\"<]*+\"|'[^'<]*+')*+>")
_ELLIPSIS: Final = re.compile("\"[^\"]*\"|'[^']*'|(?P<dots>(?:(?<![\\w-])[\\w-]++=)?(?:\\.{2,}|\u2026))".encode())
_UNQUOTED: Final = re.compile(rb"\"[^\"]*\"|'[^']*'|(?<![\w.-])(?P<name>[\w.-]++)=(?P<value>[^\s\"'<>=]+?)(?=\s|/?>)")
_AMPERSAND: Final = re.compile(rb"&(?!(?:\w+|#[0-9]+|#x[0-9A-Fa-f]+);)")
_LOST_BRACKET: Final = re.compile(rb"/(?P<name>[A-Za-z_][\w.-]*+)>")
_NAMES: Final = re.compile(rb"\s([\w-]++)\s*=")
_WITHOUT_ATTRIBUTES: Final = frozenset(
    {"layers", "edges", "input", "output", "dim", "port_map", "back_edges", "body", "then_body", "else_body"}
)

_PARENTS: Final = {"layer": ("layers",), "port": ("input", "output")}
"""Elements that never directly contain one of their own kind, and their parents."""


class _Slip(NamedTuple):
    """A slip: its repair, its place, and its message. An ellipsis may stand in the tag of a layer, as on pages."""

    changes: tuple[TextChange, ...]
    start: int
    end: int
    message: str
    fix: str
    is_ellipsis: bool = False
    is_of_layer: bool = False

    @property
    def diagnostic(self) -> Diagnostic:
        edits = tuple(Edit(item.start, item.end, item.content.decode().strip()) for item in self.changes)
        anchor = Anchor(offset=self.start, length=max(self.end - self.start, 1))
        return MalformedXml(what=self.message).at(anchor)._replace(fix=Fix(self.fix, edits, "unsafe"))


class _Markup(NamedTuple):
    """A tag, or (with an empty name) a comment, a processing instruction or character data."""

    start: int
    end: int
    name: str


def repair(data: bytes) -> Repaired | None:
    """Repair all slips of a file, each with the finding that reports it; None where there are none.

    In bare layers, as the specification pages print them, an ellipsis for the attributes of a layer is none.
    """
    slips = sorted(itertools.islice(_slips(data), MOST_SLIPS), key=lambda slip: slip.start)
    if not slips:
        return None
    around = wrapping(data)
    changes = sorted((*around, *(change for slip in slips for change in slip.changes)), key=lambda item: item.start)
    diagnostics = tuple(slip.diagnostic for slip in slips if not (around and slip.is_of_layer))
    ellipses = tuple(slip.start for slip in slips if slip.is_ellipsis)
    return Repaired(data, tuple(changes), diagnostics, ellipses, fragment=bool(around))


def _slips(data: bytes) -> Iterator[_Slip]:
    opened: list[_Markup] = []
    end = last = 0
    for item in _markup(data):
        yield from _ampersands(data, end, item.start)
        for slip in _lost_brackets(data, end, item.start, opened):
            opened.pop()
            yield slip
        end = item.end
        if not item.name:
            continue
        yield from _in_tag(data, item)
        if count := _unclosed(data, item, opened, last):
            yield _lost_closing(data, item, opened[-1].name, count, last)
            del opened[-count:]
        last = item.end
        if data.startswith(b"</", item.start):
            while opened and opened.pop().name != item.name:
                pass
        elif _has_lost_slash(data, item, opened):
            yield _lost_slash(data, item, opened.pop())
        elif not data.startswith(b"/>", item.end - 2):
            opened.append(item)
            if len(opened) > DEEPEST:
                return


def _markup(data: bytes) -> Iterator[_Markup]:
    """Yield every complete tag, comment, processing instruction and CDATA section."""
    opening = _OPENING.search(data)
    while opening is not None:
        at = opening.start()
        end = at + 1
        for begin, closing in ((b"<!--", b"-->"), (b"<?", b"?>"), (b"<![CDATA[", b"]]>")):
            if data.startswith(begin, at):
                end = data.find(closing, at + len(begin)) + len(closing)
                if end < len(closing):
                    return
                yield _Markup(at, end, "")
                break
        else:
            tag = _TAG.match(data, at)
            if tag is not None:
                end = tag.end()
                yield _Markup(at, end, tag["name"].decode())
        opening = _OPENING.search(data, end)


def _in_tag(data: bytes, item: _Markup) -> Iterator[_Slip]:
    for match in _ELLIPSIS.finditer(data, item.start, item.end):
        if match["dots"] is not None:
            start, end = match.span("dots")
            what = f"an ellipsis stands for attributes of <{item.name}>; {_left_out(data[item.start : item.end])}"
            is_of_layer = item.name == "layer" and b"=" not in match["dots"]
            blank = TextChange(start, end, b" " * (end - start))
            yield _Slip((blank,), start, end, what, "remove the ellipsis", True, is_of_layer)
    for match in _UNQUOTED.finditer(data, item.start, item.end):
        if match["name"] is not None and b".." not in match["value"]:
            start, end = match.span("value")
            name, value = match["name"].decode(), match["value"].decode(errors="replace")
            what = f'the value of {name} is not quoted; {name}="{value}" was meant'
            yield _Slip(
                (TextChange(start, start, b'"'), TextChange(end, end, b'"')), start, end, what, "quote the value"
            )
    yield from _ampersands(data, item.start, item.end)


def _left_out(tag: bytes) -> str:
    """Describe the attributes missing from a tag with an ellipsis."""
    written = set(_NAMES.findall(tag))
    missing = [name for name in ("id", "name", "version") if name.encode() not in written]
    if not tag.startswith(b"<layer") or not missing:
        return "expected them in full"
    return f"expected {', '.join(missing)}"


def _lost_brackets(data: bytes, start: int, end: int, opened: Sequence[_Markup]) -> Iterator[_Slip]:
    """Find ``/dim>`` in the text between two tags, where ``</dim>`` closes the innermost element."""
    for match in _LOST_BRACKET.finditer(data, start, end):
        name = match["name"].decode()
        if not opened or opened[-1].name != name:
            continue
        at = match.start()
        meant = _meant(data, opened[-1], at)
        what = f"the closing tag of <{name}> has lost its <; {meant} was meant"
        yield _Slip((TextChange(at, at, b"<"),), at, match.end(), what, f"write </{name}>")


def _has_lost_slash(data: bytes, item: _Markup, opened: Sequence[_Markup]) -> bool:
    """Return whether ``<dim>`` was meant to be ``</dim>``: a dim never contains another."""
    if not opened or opened[-1].name != item.name or item.name not in _WITHOUT_ATTRIBUTES:
        return False
    return item.name != "dim" or not data[item.end : data.find(b"<", item.end)].strip()


def _lost_slash(data: bytes, item: _Markup, opening: _Markup) -> _Slip:
    meant = _meant(data, opening, item.start)
    what = f"the closing tag of <{item.name}> has lost its /; {meant} was meant"
    slash = TextChange(item.start + 1, item.start + 1, b"/")
    return _Slip((slash,), item.start, item.end, what, f"write </{item.name}>")


def _unclosed(data: bytes, item: _Markup, opened: Sequence[_Markup], last: int) -> int:
    """Return the number of innermost elements that should have been closed before a tag.

    A layer or a port with content never directly contains another; the end of the parent ends all of them. ``last`` is
    the end of the tag before.
    """
    if not opened or opened[-1].name not in _PARENTS or last == opened[-1].end:
        return 0
    name = opened[-1].name
    count = sum(1 for _ in itertools.takewhile(lambda outer: outer.name == name, reversed(opened)))
    if not data.startswith(b"</", item.start):
        return count if item.name == name else 0
    parent = opened[-count - 1].name if count < len(opened) else ""
    return count if item.name == parent and parent in _PARENTS[name] else 0


def _lost_closing(data: bytes, item: _Markup, name: str, count: int, last: int) -> _Slip:
    word = f"</{item.name}" if data.startswith(b"</", item.start) else f"<{item.name}"
    closing = f"</{name}>" if count == 1 else f"{count} times </{name}>"
    what = f"<{name}> is not closed; {closing} was meant before this {word}>"
    change = TextChange(last, last, f"</{name}>".encode() * count)
    return _Slip((change,), item.start, item.start + len(word), what, f"write {closing}")


def _meant(data: bytes, opening: _Markup, end: int) -> str:
    """Return the closing tag, preceded by the element where that is a ``<dim>``."""
    closing = f"</{opening.name}>"
    return data[opening.start : end].decode(errors="replace") + closing if opening.name == "dim" else closing


def _ampersands(data: bytes, start: int, end: int) -> Iterator[_Slip]:
    for match in _AMPERSAND.finditer(data, start, end):
        at = match.start()
        escaped = TextChange(at, at + 1, b"&amp;")
        yield _Slip((escaped,), at, at + 1, "a bare & is not allowed; &amp; was meant", "escape the &")
