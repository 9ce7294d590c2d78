"""Unified diffs of files, in time proportional to their lines where many of these occur once."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import Final

CONTEXT: Final = 3
"""The lines around a change that are shown."""


class _Matcher(SequenceMatcher[str]):
    """Matches lines by those that occur once on both sides, and the lines between these by `SequenceMatcher`.

    Source: the patience diff of Bram Cohen. `SequenceMatcher` alone takes quadratic time for lines that recur.
    """

    a: Sequence[str]
    b: Sequence[str]

    def get_matching_blocks(self) -> list[Match]:
        end = len(self.a), len(self.b)
        found: list[Match] = []
        begin_a, begin_b = 0, 0
        for at_a, at_b in (*_anchors(self.a, self.b), end):
            part = SequenceMatcher(None, self.a[begin_a:at_a], self.b[begin_b:at_b], autojunk=False)
            found += [Match(begin_a + a, begin_b + b, size) for a, b, size in part.get_matching_blocks() if size]
            if (at_a, at_b) != end:
                found.append(Match(at_a, at_b, 1))
            begin_a, begin_b = at_a + 1, at_b + 1
        return [*_joined(found), Match(*end, 0)]


def _joined(blocks: Iterable[Match]) -> list[Match]:
    """Return blocks with those that follow each other on both sides as one."""
    found: list[Match] = []
    for block in blocks:
        a, b, size = found[-1] if found else (0, 0, 0)
        if found and (a + size, b + size) == (block.a, block.b):
            found[-1] = Match(a, b, size + block.size)
        else:
            found.append(block)
    return found


def unified(old: Sequence[str], new: Sequence[str], name: str) -> Iterator[str]:
    """Yield the lines of a unified diff; none where the files are equal."""
    matcher = _Matcher(None, "", "")
    matcher.a, matcher.b = old, new
    for index, group in enumerate(matcher.get_grouped_opcodes(CONTEXT)):
        if index == 0:
            yield f"--- {name}\n"
            yield f"+++ {name}\n"
        (_, a, _, b, _), (_, _, a_end, _, b_end) = group[0], group[-1]
        yield f"@@ -{_range(a, a_end)} +{_range(b, b_end)} @@\n"
        for tag, begin, end, new_begin, new_end in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[begin:end])
                continue
            yield from (f"-{line}" for line in old[begin:end])
            yield from (f"+{line}" for line in new[new_begin:new_end])


def _range(begin: int, end: int) -> str:
    count = end - begin
    return f"{begin + 1}" if count == 1 else f"{begin + (count > 0)},{count}"


def _anchors(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of lines that occur once on each side: the longest list that ascends on both."""
    counts, others = Counter(a), Counter(b)
    places = {line: index for index, line in enumerate(b) if others[line] == 1}
    pairs = [(index, places[line]) for index, line in enumerate(a) if counts[line] == 1 and line in places]
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        before.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(place)
            ends.append(index)
        else:
            tails[length], ends[length] = place, index
    chosen, at = [], ends[-1] if ends else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]
