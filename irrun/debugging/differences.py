"""Differences between arrays: the largest, in proportion to their values, in direction, and in the likeliest class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from irrun.tensor import Array

MOST_AXES: Final = 3
"""The rank up to which the last axis of an array may hold scores."""


class Difference(NamedTuple):
    """The differences of two arrays of one shape.

    ``most`` is the largest difference of elements, ``scale`` the largest finite magnitude of both arrays. ``cosine`` is
    None for text, and where a value is not finite. ``argmax`` is the number of rows whose likeliest class differs, and
    that of all rows; None for arrays that hold no scores. ``is_exact`` arrays hold no floats.
    """

    most: float
    scale: float = 0.0
    cosine: float | None = None
    argmax: tuple[int, int] | None = None
    is_exact: bool = True

    @property
    def relative(self) -> float:
        """The largest difference in proportion to the largest magnitude."""
        return self.most / self.scale if self.scale else self.most

    def exceeds(self, rtol: float, atol: float) -> bool:
        """Return whether floats differ by more than ``atol`` plus ``rtol`` times the magnitude, others at all."""
        return self.most > 0 if self.is_exact else not self.most <= atol + rtol * self.scale


def difference(left: Array, right: Array) -> Difference:
    """Compare two arrays of one shape; other text is infinitely far away."""
    if left.dtype.kind in "UO" or right.dtype.kind in "UO":
        return Difference(0.0 if np.array_equal(left.astype(str), right.astype(str)) else np.inf)
    x, y = (array.astype(np.float64).reshape(-1) for array in (left, right))
    is_exact = left.dtype.kind != "f" and right.dtype.kind != "f"
    scale = max(magnitude(x), magnitude(y))
    rows = None if is_exact else changed_rows(left, right)
    return Difference(float(gaps(x, y).max(initial=0.0)), scale, cosine(x, y), rows, is_exact)


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
