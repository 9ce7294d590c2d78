"""Splits rows or columns into ranges."""

from __future__ import annotations

from collections.abc import Iterator


def even(count: int, most: int) -> int:
    """Return the size of nearly equal parts of ``count``, at most ``most`` each."""
    blocks = max(-(-count // max(most, 1)), 1)
    return max(-(-count // blocks), 1)


def ranges(count: int, about: int, multiple: int) -> Iterator[tuple[int, int]]:
    """Yield nearly equal ranges of about ``about`` as (first, size); all but the last are multiples of ``multiple``."""
    parts = max(round(count / about), 1)
    size = -(-count // (parts * multiple)) * multiple
    for first in range(0, count, size):
        yield first, min(size, count - first)
