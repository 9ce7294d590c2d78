"""Mends what is not well-formed where the intent is plain, so that the rest of a file can still be checked."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from irrun.diagnostics import Anchor, Diagnostic, Edit, Fix

_MARKUP = re.compile(
    rb"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|(?P<tag></?[A-Za-z_][\w:.-]*(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>)", re.S
)
_QUOTED_OR_ELLIPSIS = re.compile("\"[^\"]*\"|'[^']*'|(?P<dots>\\.\\.\\.|\u2026)".encode())
_UNQUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'|(?P<name>[\w.-]+)=(?P<value>[^\s\"'<>/]+)")
_LOST_BRACKET = re.compile(rb"(?<=[^\s<])/(?P<name>[A-Za-z_][\w.-]*)>")
_LOST_SLASH = re.compile(rb"<(?P<name>dim)>[^<>]*(?P<tag><(?P=name)>)\s*(?=</|<dim>)")
_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")
_FIRST_TAG = re.compile(rb"(?:\s|<!--.*?-->|<\?.*?\?>|\xef\xbb\xbf)*<(?P<name>[A-Za-z_][\w:.-]*)", re.S)


@dataclass(frozen=True, slots=True)
class Change:
    """Bytes of the file, from ``start`` up to ``end``, that were read as ``content``."""

    start: int
    end: int
    content: bytes


@dataclass(frozen=True)
class Mended:
    """The text that was parsed, and how to get from a place in it to the place in the file."""

    text: bytes
    changes: tuple[Change, ...]
    diagnostics: tuple[Diagnostic, ...]
    fragment: bool

    def origin(self, offset: int) -> int:
        """The offset in the file of an offset in the text that was parsed."""
        shift = 0
        for change in self.changes:
            begins = change.start + shift
            if offset < begins:
                break
            if offset < begins + len(change.content):
                return change.start
            shift += len(change.content) - (change.end - change.start)
        return offset - shift


def wrap_fragment(data: bytes) -> Mended:
    """A file whose root is a bare ``<layer>``, or several, inside the elements it would stand in."""
    first = _FIRST_TAG.match(data)
    if first is None or first["name"] != b"layer":
        return Mended(data, (), (), fragment=False)
    start = first.start("name") - 1
    changes = (Change(start, start, b"<net><layers>"), Change(len(data), len(data), b"</layers></net>"))
    return Mended(_apply(data, changes), changes, (), fragment=True)


def mend(data: bytes) -> Mended | None:
    """The file with its plain slips mended, each with the finding that reports it; None where there are none."""
    found: list[tuple[Change, str, str]] = []
    for markup in _MARKUP.finditer(data):
        if markup["tag"] is not None:
            found += _in_tag(markup["tag"], markup.start())
    tags = [(markup.start(), markup.end()) for markup in _MARKUP.finditer(data)]
    found += _between_tags(data, tags)
    if not found:
        return None
    found.sort(key=lambda item: item[0].start)
    wrapped = wrap_fragment(data)
    changes = [change for change, _, _ in found]
    all_changes = tuple(sorted((*wrapped.changes, *changes), key=lambda change: change.start))
    diagnostics = tuple(_finding(data, *item) for item in found)
    return Mended(_apply(data, all_changes), all_changes, diagnostics, wrapped.fragment)


def _in_tag(tag: bytes, at: int) -> list[tuple[Change, str, str]]:
    found = []
    for match in _QUOTED_OR_ELLIPSIS.finditer(tag):
        if match["dots"] is not None:
            start, end = at + match.start("dots"), at + match.end("dots")
            what = f"an ellipsis stands in the tag <{_name(tag)}>, where attributes were left out; expected attributes"
            found.append((Change(start, end, b" " * (end - start)), what, "remove the ellipsis"))
    for match in _UNQUOTED.finditer(tag):
        if match["name"] is not None and b"..." not in match["value"]:
            start, end = at + match.start("value"), at + match.end("value")
            value = match["value"].decode(errors="replace")
            what = f'the value of {match["name"].decode()} is not quoted; {match["name"].decode()}="{value}" was meant'
            found.append((Change(start, end, b'"' + match["value"] + b'"'), what, "quote the value"))
    for match in _AMPERSAND.finditer(tag):
        start = at + match.start()
        found.append((Change(start, start + 1, b"&amp;"), "a bare & stands in the tag; &amp; was meant", "escape the &"))
    return found


def _between_tags(data: bytes, tags: list[tuple[int, int]]) -> list[tuple[Change, str, str]]:
    found = []
    starts = [start for start, _ in tags]
    for match in _LOST_BRACKET.finditer(data):
        index = bisect_right(starts, match.start()) - 1
        if index >= 0 and match.start() < tags[index][1]:
            continue
        before = data.rfind(b"<", 0, match.start())
        name = match["name"].decode(errors="replace")
        if not data[before + 1 :].startswith(match["name"]):
            continue
        meant = data[before : match.start()].decode(errors="replace") + f"</{name}>"
        what = f"the closing tag of <{name}> has lost its <; {meant} was meant"
        found.append((Change(match.start(), match.start(), b"<"), what, f"write </{name}>"))
    for match in _LOST_SLASH.finditer(data):
        start = match.start("tag")
        meant = data[match.start() : start].decode(errors="replace") + "</dim>"
        what = f"the closing tag of <dim> has lost its /; {meant} was meant"
        found.append((Change(start + 1, start + 1, b"/"), what, "write </dim>"))
    return found


def _finding(data: bytes, change: Change, message: str, fix: str) -> Diagnostic:
    edit = Edit(change.start, change.end, change.content.decode() if change.content.strip() else "")
    length = max(change.end - change.start, 1)
    if change.start == change.end:
        length = len(re.match(rb"[^\s>]*>?", data[change.start :])[0]) or 1  # type: ignore[index]
    return Diagnostic("IR101", message, Anchor(offset=change.start, length=length), fix=Fix(fix, (edit,), "unsafe"))


def _name(tag: bytes) -> str:
    return re.split(rb"[\s/>]", tag[1:], maxsplit=1)[0].decode(errors="replace")


def _apply(data: bytes, changes: tuple[Change, ...]) -> bytes:
    parts, at = [], 0
    for change in changes:
        parts += [data[at : change.start], change.content]
        at = change.end
    return b"".join([*parts, data[at:]])
