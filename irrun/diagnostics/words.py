"""Words of messages: near matches and lists."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Final

_CUTOFF: Final = 0.7
"""The least likeness of a near match: twice the letters in common, in order, by the letters of both."""

_SLIP: Final = 0.6
"""The least likeness of words that one letter distinguishes."""


def near_match(word: str, candidates: Iterable[str]) -> str:
    """Return ``; did you mean X?`` where a candidate is close to ``word``, the empty text otherwise."""
    return did_you_mean(nearest(word, candidates))


def did_you_mean(meant: str | None) -> str:
    """Return ``; did you mean X?``, the empty text for None."""
    return "" if meant is None else f"; did you mean {meant}?"


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate closest to ``word``; None where none is close."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    lower = word.lower()
    letters = frozenset(lower)
    alike = {candidate: _most_alike(lower, letters, candidate) for candidate in by_lower}
    close = [
        candidate
        for candidate, most in alike.items()
        if most >= _SLIP and (candidate == lower or _one_slip(lower, candidate))
    ]
    close.sort(key=lambda candidate: (candidate != lower, candidate[:1] != lower[:1]))
    likely = [] if close else [candidate for candidate, most in alike.items() if most >= _CUTOFF]
    if likely:
        from difflib import get_close_matches

        close = get_close_matches(lower, likely, n=1, cutoff=_CUTOFF)
    return by_lower[close[0]] if close else None


def _most_alike(word: str, letters: frozenset[str], candidate: str) -> float:
    """Return an upper bound of the likeness of two words, from 0 to 1, by the letters that only one of them has."""
    others = _letters(candidate)
    common = min(len(word) - len(letters - others), len(candidate) - len(others - letters))
    return 2 * common / max(len(word) + len(candidate), 1)


@functools.lru_cache(maxsize=1024)
def _letters(word: str) -> frozenset[str]:
    return frozenset(word)


def _one_slip(a: str, b: str) -> bool:
    """Return whether the words differ by one inserted, deleted, replaced, or transposed letter."""
    if abs(len(a) - len(b)) > 1:
        return False
    if len(a) > len(b):
        a, b = b, a
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return len(b) - len(a) == 1 and a[start:] == b[start + 1 :]
    if len(a) < 3:
        return False
    swapped = a[start : start + 2] == b[start : start + 2][::-1] and a[start + 2 :] == b[start + 2 :]
    return swapped or a[start + 1 :] == b[start + 1 :]


def listing(words: Iterable[object], last: str = "or") -> str:
    """Join words as ``a, b or c``, or with another word before the last one."""
    items = [str(word) for word in words]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else "nothing"


def amount(count: object, word: str, words: str = "") -> str:
    """Return a count with its word: ``1 element``, ``2 elements``; ``words`` is a plural of another form."""
    return f"{count} {word if str(count) == '1' else words or f'{word}s'}"
