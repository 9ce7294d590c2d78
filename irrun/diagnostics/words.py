"""Words of messages: near matches and lists."""

from __future__ import annotations

from collections.abc import Iterable


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
    close = [candidate for candidate in by_lower if candidate == lower or _one_slip(lower, candidate)]
    close.sort(key=lambda candidate: (candidate != lower, candidate[:1] != lower[:1]))
    if not close:
        from difflib import get_close_matches

        close = get_close_matches(lower, list(by_lower), n=1, cutoff=0.7)
    return by_lower[close[0]] if close else None


def _one_slip(a: str, b: str) -> bool:
    """Return whether the words differ by one inserted, deleted, replaced, or transposed letter."""
    if len(a) > len(b):
        a, b = b, a
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return len(b) - len(a) == 1 and a[start:] == b[start + 1 :]
    if len(a) < 3:
        return False
    swapped = a[start : start + 2] == b[start : start + 2][::-1] and a[start + 2 :] == b[start + 2 :]
    return swapped or a[start + 1 :] == b[start + 1 :]


def listing(words: Iterable[object]) -> str:
    """Join words as ``a, b or c``."""
    items = [str(word) for word in words]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}" if items else "nothing"
