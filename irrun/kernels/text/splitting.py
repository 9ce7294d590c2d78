"""Splits of strings at the matches of a regular expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from irrun.kernels.text.characters import CharacterSet
from irrun.kernels.text.strings import character_starts, decoded, places, rows

Array = NDArray[Any]

Behaviour = Literal["remove", "isolate", "contiguous", "mergedwithprevious", "mergedwithnext"]
Span = tuple[int, int]


class Match(Protocol):
    """A match of a regular expression."""

    def span(self, group: int = 0, /) -> Span: ...
    def group(self, group: int = 0, /) -> str | None: ...
    def groups(self) -> Sequence[str | None]: ...


Find = Callable[[str], Iterable[Match]]
"""Finds the matches in a text, each search beginning where the match before ended."""


class Strings(NamedTuple):
    """Rows of strings without their bytes."""

    row_begins: Array
    row_ends: Array
    begins: Array
    ends: Array

    def in_rows(self) -> tuple[Array, Array, Array]:
        """Return the number, the begin and the end of each string of the rows."""
        order = places(self.row_begins, self.row_ends)
        return order, self.begins.reshape(-1)[order], self.ends.reshape(-1)[order]

    def split(self, counts: Array, begins: Array, ends: Array) -> Strings:
        """Return the rows with each string replaced by some of these parts."""
        row_begins, row_ends = rows(self.row_begins, self.row_ends, counts)
        return Strings(row_begins, row_ends, begins.astype(np.int32), ends.astype(np.int32))


class Segments(NamedTuple):
    """Strings cut at matches: what is between matches, and matches, in turn.

    String ``i`` has ``counts[i]`` segments, an odd number: those with odd numbers are matches. Segments may be empty.
    """

    counts: Array
    begins: Array
    ends: Array


def at_matches(
    begins: Array, ends: Array, chars: Array, kept: Array, lengths: Callable[[str], Sequence[int]]
) -> Segments:
    """Cut strings. ``lengths`` returns those of the segments of a text; strings that are ``kept`` stay whole."""
    texts, firsts, _ = found = decoded(begins, ends, chars)
    known: dict[str, Sequence[int]] = {}
    sizes: list[Sequence[int]] = []
    for text, is_whole in zip(texts, kept.tolist(), strict=True):
        cut = (len(text),) if is_whole else known.get(text)
        if cut is None:
            cut = known[text] = lengths(text)
        sizes.append(cut)
    counts = np.fromiter(map(len, sizes), np.int64, len(sizes))
    flat = np.fromiter(chain.from_iterable(sizes), np.int64)
    after = np.cumsum(flat)
    before = after - flat
    shift = np.repeat(np.array(firsts, np.int64) - before[np.cumsum(counts) - counts], counts)
    return Segments(counts, found.bytes_at(before + shift), found.bytes_at(after + shift))


def at_characters(
    begins: Array, ends: Array, chars: Array, kept: Array, characters: CharacterSet, *, repeats: bool
) -> Segments | None:
    """Cut strings at characters of a set, or at all that follow each other. Strings that are ``kept`` stay whole.

    None where bytes are not UTF-8, or a string begins inside a character.
    """
    data = chars.tobytes()
    if data.isascii():
        first = np.flatnonzero(characters.in_text(data.decode("ascii")))
        last = first + 1
    else:
        starts = character_starts(chars)
        if starts is None or not starts.are_at(begins) or not starts.are_at(ends):
            return None
        found = np.flatnonzero(characters.in_text(data.decode()))
        first, last = starts.offsets[found], starts.offsets[found + 1]
    low = np.searchsorted(first, begins)
    high = np.where(kept, low, np.searchsorted(first, ends))
    index = places(low, high)
    owners = np.repeat(np.arange(len(low)), high - low)
    first, last = first[index], last[index]
    if repeats and len(first):
        begins_run = np.append(True, (first[1:] != last[:-1]) | (owners[1:] != owners[:-1]))
        first, last, owners = first[begins_run], last[np.append(begins_run[1:], True)], owners[begins_run]
    matches = np.bincount(owners, minlength=len(low))
    counts = 2 * matches + 1
    after = np.cumsum(counts)
    segment_begins, segment_ends = np.empty((2, int(counts.sum())), np.int64)
    at = 2 * np.arange(len(first)) + owners + 1
    segment_begins[after - counts], segment_ends[after - 1] = begins, ends
    segment_begins[at], segment_ends[at] = first, last
    segment_ends[at - 1], segment_begins[at + 1] = first, last
    return Segments(counts, segment_begins, segment_ends)


def parts(
    segments: Segments, kept: Array, behaviour: Behaviour, *, invert: bool = False, max_splits: int = -1
) -> tuple[Array, Array, Array]:
    """Return the number of parts of each string, and the begins and ends of all parts.

    Strings that are ``kept`` are one part, also empty ones. With ``mergedwithprevious`` a match joins the last part
    without a match, even if another match stands between.
    """
    counts, begins, ends = segments
    after = np.cumsum(counts)
    number = np.arange(len(begins))
    first, last = (np.repeat(edge, counts) for edge in (after - counts, after - 1))
    is_full = ends > begins
    is_match = ((number - first) & 1).astype(np.bool_)
    is_last = number == last
    if behaviour in ("isolate", "contiguous"):
        found = is_full
    elif behaviour == "remove":
        found = is_full & (is_match == invert)
    elif behaviour == "mergedwithprevious":
        joined = is_match != invert
        reaches_end = is_full & ~joined & (ends == ends[last])
        found = (is_full & joined) | reaches_end
        before = np.maximum.accumulate(np.where(is_full & ~joined, number, -1))
        begins = np.where(joined, begins[np.where(before >= first, before, first)], begins)
    else:
        joined = is_match != invert
        # A match at the end, and an empty text, are parts of their own.
        is_rest = is_last & ~is_full & (not invert)
        found = (is_full & ~joined) | is_rest
        before = np.maximum.accumulate(np.where(is_full & joined, number, -1))
        begins = np.where(found & (before >= first), begins[before], begins)
    found = found | np.repeat(kept, counts)
    totals = np.add.reduceat(found, after - counts, dtype=np.int64) if len(counts) else counts
    found_begins, found_ends = begins[found], ends[found]
    if max_splits >= 0:
        longer = totals > max_splits
        found_ends[(np.cumsum(totals) - totals)[longer] + max_splits] = ends[after - 1][longer]
    return totals, found_begins, found_ends


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


def split_at_tokens(strings: Strings, chars: Array, kept: Array, find: Find) -> tuple[Strings, Array]:
    """Split strings at special tokens: the parts, and which of them are tokens. ``kept`` strings are taken for one."""
    order, begins, ends = strings.in_rows()
    texts, firsts, _ = found = decoded(begins, ends, chars)
    whole = kept.reshape(-1)[order].tolist()
    spans = [
        [(0, len(text), 1)] if is_whole else around_tokens(text, find)
        for text, is_whole in zip(texts, whole, strict=True)
    ]
    counts = np.fromiter(map(len, spans), np.int64, len(spans))
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(spans)), np.int64).reshape(-1, 3)
    edges = found.bytes_at(flat[:, :2] + np.repeat(np.array(firsts, np.int64), counts)[:, None])
    return strings.split(counts, edges[:, 0], edges[:, 1]), flat[:, 2] > 0
