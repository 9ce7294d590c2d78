"""Differences between arrays: the largest, in direction, and in the likeliest class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.tensor import Array

MOST_AXES: Final = 3
"""The rank up to which the last axis of an array may hold scores."""


def largest(ours: Sequence[Array], theirs: Sequence[Array]) -> tuple[float | None, float | None]:
    """Return the largest absolute difference between two lists of outputs, and that relative to the largest magnitude.

    Different strings are infinitely far apart. The first number is None where shapes or kinds differ, the second where
    there is no difference, or the output is all zero or not finite.
    """
    largest, relative = 0.0, None
    for left, right in zip(ours, theirs, strict=True):
        texts = [array.dtype.kind in "UO" for array in (left, right)]
        if left.shape != right.shape or texts[0] != texts[1]:
            return None, None
        if texts[0]:
            gap, scale = 0.0 if np.array_equal(left.astype(str), right.astype(str)) else np.inf, 0.0
        else:
            x, y = left.astype(np.float64), right.astype(np.float64)
            gap, scale = float(gaps(x, y).max(initial=0.0)), magnitude(y)
        if gap > largest:
            largest, relative = gap, gap / scale if scale else None
    return largest, relative


def gaps(x: Array, y: Array) -> Array:
    """Return the distance of each pair of elements: 0 for two NaN, infinite for one."""
    with np.errstate(all="ignore"):
        found = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(x - y))
    return np.where(np.isnan(found), np.inf, found)


def magnitude(x: Array) -> float:
    """Return the largest finite absolute value."""
    return float(np.abs(x[np.isfinite(x)]).max(initial=0.0))


def cosine(x: Array, y: Array) -> float | None:
    """Return the cosine of the angle between two vectors; None where a value is not finite."""
    with np.errstate(all="ignore"):
        length = np.linalg.norm(x) * np.linalg.norm(y)
        found = float(x @ y / length) if length else float(np.array_equal(x, y))
    return found if np.isfinite(found) else None


def changed_rows(left: Array, right: Array) -> tuple[int, int] | None:
    """Return the number of rows of scores whose likeliest class differs, and that of all; None for other arrays."""
    if not 0 < left.ndim <= MOST_AXES or left.shape[-1] < 2 or not left.size:
        return None
    changed = left.argmax(-1) != right.argmax(-1)
    return int(np.count_nonzero(changed)), int(np.size(changed))
