"""Splits rows or columns into ranges."""

from __future__ import annotations


def even(count: int, most: int) -> int:
    """Return the size of nearly equal parts of ``count``, at most ``most`` each."""
    blocks = max(-(-count // max(most, 1)), 1)
    return max(-(-count // blocks), 1)
