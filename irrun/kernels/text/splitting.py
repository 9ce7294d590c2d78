"""Splits of strings at the matches of a regular expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from irrun.kernels.text.strings import decoded, places, rows

Array = NDArray[Any]

Behaviour = Literal["remove", "isolate", "contiguous", "mergedwithprevious", "mergedwithnext"]
Span = tuple[int, int]


class Match(Protocol):
    """A match of a regular expression."""

    def span(self, group: int = 0, /) -> Span: ...
    def groups(self) -> Sequence[str | None]: ...


Find = Callable[[str], Iterable[Match]]
"""Finds the matches in a text, each search beginning where the match before ended."""


class Strings(NamedTuple):
    """Rows of strings without their bytes."""

    row_begins: Array
    row_ends: Array
    begins: Array
    ends: Array


def split_rows(
    strings: Strings, chars: Array, kept: Array, split: Callable[[str], Sequence[tuple[int, ...]]], width: int = 2
) -> tuple[Strings, Array]:
    """Replace each string by parts of it: the parts, and which of them are marked.

    ``split`` returns ``width`` numbers for each part of a text: its begin, its end and, of three, whether it is marked.
    Strings that are ``kept`` are one marked part each.
    """
    order = places(strings.row_begins, strings.row_ends)
    begins, ends = strings.begins.reshape(-1)[order], strings.ends.reshape(-1)[order]
    texts, firsts, _ = found = decoded(begins, ends, chars)
    whole = kept.reshape(-1)[order]
    known: dict[str, Sequence[tuple[int, ...]]] = {}
    spans = []
    for text, is_whole in zip(texts, whole.tolist(), strict=True):
        found_spans = [(0, len(text), 1)[:width]] if is_whole else known.get(text)
        if found_spans is None:
            found_spans = known[text] = split(text)
        spans.append(found_spans)
    counts = np.fromiter(map(len, spans), np.int64, len(spans))
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(spans)), np.int64).reshape(-1, width)
    edges = found.bytes_at(flat[:, :2] + np.repeat(np.array(firsts, np.int64), counts)[:, None])
    row_begins, row_ends = rows(strings.row_begins, strings.row_ends, counts)
    marks = np.repeat(whole, counts) | flat[:, 2:].any(axis=1)
    return Strings(row_begins, row_ends, edges[:, 0], edges[:, 1]), marks


def no_match(_: str) -> Sequence[Match]:
    """Find nothing, as a pattern that does not compile."""
    return ()


def parts(text: str, find: Find, behaviour: Behaviour, *, invert: bool, max_splits: int = -1) -> list[Span]:
    """Return the spans of the parts of a text. The first empty match ends the search."""
    if behaviour in ("isolate", "contiguous"):
        found = _isolated(text, find)
    elif behaviour == "remove":
        found = _matches(text, find) if invert else _between(text, find)
    elif behaviour == "mergedwithprevious":
        found = _with_previous(text, find, invert=invert)
    else:
        found = _with_next(text, find, invert=invert)
    if 0 <= max_splits < len(found):
        found[max_splits] = found[max_splits][0], len(text)
    return found


def _matches(text: str, find: Find) -> list[Span]:
    found = []
    for match in find(text):
        span = match.span()
        if span[0] == span[1]:
            break
        found.append(span)
    return found


def _between(text: str, find: Find) -> list[Span]:
    found, start = [], 0
    for begin, end in _matches(text, find):
        if begin != start:
            found.append((start, begin))
        start = end
    if start < len(text):
        found.append((start, len(text)))
    return found


def _isolated(text: str, find: Find) -> list[Span]:
    found, start = [], 0
    for span in _matches(text, find):
        if span[0] != start:
            found.append((start, span[0]))
        found.append(span)
        start = span[1]
    if start < len(text):
        found.append((start, len(text)))
    return found


def _alternating(text: str, find: Find) -> Iterator[tuple[int, int, bool]]:
    """Yield the begin and end of each part, and whether it is a match."""
    start = 0
    for begin, end in _matches(text, find):
        if begin != start:
            yield start, begin, False
        yield begin, end, True
        start = end
    if start < len(text):
        yield start, len(text), False


def _with_previous(text: str, find: Find, *, invert: bool) -> list[Span]:
    """Return the parts with each match joined to what is before it.

    The begin of the last part without a match is kept: a match that follows another begins there too.
    """
    found, last = [], 0
    for begin, end, is_match in _alternating(text, find):
        if is_match != invert:
            found.append((last, end))
        elif end == len(text):
            found.append((begin, end))
        else:
            last = begin
    return found


def _with_next(text: str, find: Find, *, invert: bool) -> list[Span]:
    """Return the parts with each match joined to what is after it."""
    found: list[Span] = []
    last, at = None, 0
    for begin, end, is_match in _alternating(text, find):
        if is_match != invert:
            last = begin
        else:
            found.append((begin if last is None else last, end))
        at = end if is_match else at
    if at == len(text) and last != len(text) and not invert:
        found.append((last or 0, len(text)))
    return found


def around_tokens(text: str, find: Find) -> list[tuple[int, int, int]]:
    """Return the begin and end of each part of a text, and 1 for special tokens, else 0.

    The last group of a match is the token, the rest of the match is left out; without one it is the whole match.
    """
    found, start = [], 0
    for match in find(text):
        begin, end = match.span()
        if begin == end:
            break
        if start < begin:
            found.append((start, begin, 0))
        found.append((*_token(match, begin, end), 1))
        start = end
    if start < len(text):
        found.append((start, len(text), 0))
    return found


def _token(match: Match, begin: int, end: int) -> Span:
    for group in range(len(match.groups()), 0, -1):
        first, last = match.span(group)
        if begin <= first <= end and last <= end:
            return (begin, end) if first == last else (first, last)
    return begin, end
