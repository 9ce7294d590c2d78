"""Ranges of rows or columns that are worked on at a time."""

from __future__ import annotations

from collections.abc import Iterator


def even(count: int, most: int) -> int:
    """How many to take at a time: at most so many, and about as many each time."""
    blocks = max(-(-count // max(most, 1)), 1)
    return max(-(-count // blocks), 1)


def ranges(count: int, about: int, multiple: int) -> Iterator[tuple[int, int]]:
    """Ranges of about so many that make up ``range(count)``, as large each: first and size, multiples but the last."""
    parts = max(round(count / about), 1)
    size = -(-count // (parts * multiple)) * multiple
    for first in range(0, count, size):
        yield first, min(size, count - first)
