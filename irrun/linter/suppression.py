"""Comments in a file that suppress findings: ``<!-- irrun: ignore[IR401] reason -->`` and ``ignore-file[IR401]``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Edit, Fix, Severity, near_match
from irrun.diagnostics.fault import Said
from irrun.diagnostics.render import Source
from irrun.linter.selection import UnknownRule, meant, selector

_DIRECTIVE: Final = re.compile(rb"<!--\s*+irrun:\s*+(?P<kind>[\w-]*+)(?:\s*+\[(?P<words>[^\]]*+)\])?")
_BLANKS: Final = 4096
"""The limit on white space examined before and after a comment."""

_KINDS: Final = ("ignore", "ignore-file")


class IdleComment(Said):
    """A comment that suppresses no finding."""

    code = "IR112"


@dataclass(frozen=True, slots=True)
class _Comment:
    """A suppression comment: its bytes and rows, and the row below that it applies to."""

    start: int
    end: int
    row: int
    end_row: int
    below: int
    alone: bool
    kind: str
    words: tuple[str, ...]
    words_span: tuple[int, int]

    @property
    def whole_file(self) -> bool:
        return self.kind == "ignore-file"


class _Places:
    """The codes of the findings of each row."""

    def __init__(self, found: Sequence[Diagnostic], source: Source) -> None:
        self.rows = [source.locate(item.anchor).row for item in found]
        self.codes = frozenset(item.code for item in found)
        self._by_row: dict[int, set[str]] = {}
        for row, item in zip(self.rows, found, strict=True):
            self._by_row.setdefault(row, set()).add(item.code)

    def met(self, comment: _Comment, codes: frozenset[str]) -> set[tuple[int, str]]:
        """Return the rows and codes that a comment suppresses: in its own rows, or else in the row below."""
        for rows in ({comment.row, comment.end_row}, {comment.below}):
            met = {(row, code) for row in rows for code in codes & self._by_row.get(row, set())}
            if met:
                return met
        return set()


def unsuppressed(found: Sequence[Diagnostic], data: bytes, source: Source) -> list[Diagnostic]:
    """Return the findings that no comment suppresses, and a finding for each comment that suppresses none.

    ``data`` is the file in UTF-8, as counted by the source.
    """
    comments = _comments(data, source)
    problems = [_problem(comment) for comment in comments]
    sound = [comment for comment, problem in zip(comments, problems, strict=True) if not problem]
    left, idle = _split(found, sound, source)
    unused = []
    for comment, problem in zip(comments, problems, strict=True):
        words = idle.get(comment.start, ())
        if problem or words:
            unused.append(_unused(comment, problem, words, data))
    return left + _split(unused, sound, source)[0]


def _split(
    found: Sequence[Diagnostic], comments: Sequence[_Comment], source: Source
) -> tuple[list[Diagnostic], dict[int, list[str]]]:
    """Return the findings that no comment suppresses, and the unused words of comments by their start, except IR112."""
    places = _Places(found, source)
    everywhere: set[str] = set()
    hidden: set[tuple[int, str]] = set()
    idle: dict[int, list[str]] = {}
    for comment in comments:
        unmet = []
        for word in comment.words:
            codes = meant([word])
            if comment.whole_file:
                everywhere |= codes
                met = not codes.isdisjoint(places.codes)
            else:
                here = places.met(comment, codes)
                hidden |= here
                met = bool(here)
            if not met and IdleComment.code not in codes:
                unmet.append(word)
        idle[comment.start] = unmet
    left = [
        item
        for row, item in zip(places.rows, found, strict=True)
        if (row, item.code) not in hidden and item.code not in everywhere
    ]
    return left, idle


def _comments(data: bytes, source: Source) -> list[_Comment]:
    """Return the comments, each with the first row below it that is not another such comment."""
    found: list[_Comment] = []
    below: dict[int, int] = {}
    for comment in reversed(list(_written(data, source))):
        row = below.get(comment.end_row + 1, comment.end_row + 1)
        if comment.alone:
            below[comment.row] = row
        found.append(dataclasses.replace(comment, below=row))
    return found[::-1]


def _written(data: bytes, source: Source) -> Iterator[_Comment]:
    end = 0
    while (start := data.find(b"<!--", end)) >= 0:
        close = data.find(b"-->", start + 4)
        if close < 0:
            return
        end = close + 3
        found = _DIRECTIVE.match(data, start, close)
        if found is None:
            continue
        place = source.span(start, end)
        words = (found["words"] or b"").decode("utf-8", errors="replace")
        yield _Comment(
            start=start,
            end=end,
            row=place.row,
            end_row=place.end_row,
            below=place.end_row + 1,
            alone=_line(data, start, end) is not None,
            kind=found["kind"].decode("utf-8", errors="replace"),
            words=tuple(dict.fromkeys(word.strip() for word in words.split(",") if word.strip())),
            words_span=found.span("words"),
        )


def _line(data: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return the range of whole lines of a comment, line ends included; None where the lines hold more."""
    before = data[max(start - _BLANKS, 0) : start]
    after = data[end : end + _BLANKS]
    first = start - len(before) + len(before.rstrip(b" \t"))
    last = end + len(after) - len(after.lstrip(b" \t"))
    if (first and data[first - 1 : first] not in (b"\n", b"\r")) or data[last : last + 1] not in (b"", b"\n", b"\r"):
        return None
    return first, last + (2 if data[last : last + 2] == b"\r\n" else 1 if last < len(data) else 0)


def _problem(comment: _Comment) -> str:
    """Return the reason why a comment cannot suppress anything; empty where it can."""
    if comment.kind not in _KINDS:
        expected = near_match(comment.kind, _KINDS) or ", expected ignore[CODE] or ignore-file[CODE]"
        return f'"irrun: {comment.kind}" is not known{expected}'
    if not comment.words:
        return f'"irrun: {comment.kind}" names no rule, expected {comment.kind}[CODE]'
    for word in comment.words:
        try:
            selector(word)
        except UnknownRule as error:
            return str(error)
    return ""


def _unused(comment: _Comment, problem: str, idle: Sequence[str], data: bytes) -> Diagnostic:
    anchor = Anchor(offset=comment.start, length=comment.end - comment.start)
    if problem:
        return IdleComment(what=problem, severity=Severity.WARNING).at(anchor)
    where = "in the file" if comment.whole_file else "on this line or the next"
    what = f"{comment.kind}[{', '.join(idle)}] suppresses nothing, expected such a finding {where}"
    return IdleComment(what=what, severity=Severity.WARNING).at(anchor)._replace(fix=_fix(comment, idle, data))


def _fix(comment: _Comment, idle: Sequence[str], data: bytes) -> Fix:
    kept = [word for word in comment.words if word not in idle]
    if kept:
        edit = Edit(*comment.words_span, ", ".join(kept))
        return Fix(f"remove {', '.join(idle)} from the comment", (edit,))
    start, end = _line(data, comment.start, comment.end) or (comment.start, comment.end)
    return Fix("remove the comment", (Edit(start, end, ""),))
