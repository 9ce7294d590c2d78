"""The way in which two tensors differ: in their shape, in what is finite, by one step, by clipping, or by an error."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import numpy as np

from irrun.evaluation.differences import gaps
from irrun.tensor import Array

Kind = Literal["none", "shape", "text", "not finite", "step", "clipping", "error"]

_FACTOR: Final = 10.0
"""The ratio of the errors of the same fault, at most."""

_STEP: Final = 1.5
"""The ratio of two steps that are the same."""

_NEAR: Final = 1e-3

_MOST: Final = 0.9
"""The share of the larger errors that clipping explains."""

_LEVELS: Final = 1 << 16
"""The number of values up to which a tensor may be quantised."""


class TensorDifference(NamedTuple):
    """The difference of two tensors. ``odd`` are the kinds of numbers that are not finite on one side only, by side.

    ``size`` is the largest error, ``relative`` that in proportion to the largest magnitude of both.
    """

    kind: Kind
    odd: tuple[str, ...] = ()
    size: float = 0.0
    relative: float = 0.0

    def is_like(self, other: TensorDifference) -> bool:
        """Return whether this may be the same fault as another one, which was there first.

        A step has the size of the step, other errors are within a factor of ten of each other; what was clipped still
        is, and shapes, or what is not finite, differ in the same way.
        """
        exact = ("shape", "text", "not finite", "none")
        if other.kind in exact or self.kind in exact:
            return (self.kind, self.odd) == (other.kind, other.odd)
        if other.kind == "step":
            return other.size / _STEP <= self.size <= other.size * _STEP
        if other.kind == "clipping" and self.kind != "clipping":
            return False
        return other.relative / _FACTOR <= self.relative <= other.relative * _FACTOR


def fault_of(array: Array, other: Array) -> TensorDifference:
    """Return the difference of two tensors."""
    if array.shape != other.shape:
        return TensorDifference("shape")
    if array.dtype.kind in "UO" or other.dtype.kind in "UO":
        return TensorDifference("none" if np.array_equal(array.astype(str), other.astype(str)) else "text")
    x, y = array.astype(np.float64).reshape(-1), other.astype(np.float64).reshape(-1)
    odd = tuple(sorted({*_odd(x, y, "first"), *_odd(y, x, "second")}))
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    gap = gaps(x, y)
    size = float(gap.max(initial=0.0))
    scale = max(float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)))
    relative = size / scale if scale else 0.0
    if odd:
        return TensorDifference("not finite", odd, size, relative)
    if size == 0:
        return TensorDifference("none")
    if _is_clipped(x, y, gap):
        return TensorDifference("clipping", (), size, relative)
    return TensorDifference("step" if _is_step(x, y, size) else "error", (), size, relative)


def _odd(x: Array, y: Array, side: str) -> list[str]:
    """Return the kinds of numbers that are not finite in one tensor where those of the other one are others."""
    found = [f"NaN in the {side}"] if (np.isnan(x) & ~np.isnan(y)).any() else []
    return [*found, f"infinity in the {side}"] if (np.isinf(x) & (x != y)).any() else found


def _is_clipped(x: Array, y: Array, gap: Array) -> bool:
    """Return whether most of the larger errors are where one side has its least or its greatest value."""
    large = gap > gap.max() / 2
    if np.count_nonzero(large) < 2:
        return False
    for mine, its in ((x, y), (y, x)):
        for limit, beyond in ((mine.max(), its > mine.max()), (mine.min(), its < mine.min())):
            if np.mean((mine == limit) & beyond, where=large) >= _MOST:
                return True
    return False


def _is_step(x: Array, y: Array, size: float) -> bool:
    """Return whether both tensors have few values, and differ by no more than the distance of two neighbours."""
    if np.unique(x[: 2 * _LEVELS]).size > _LEVELS:
        return False
    values = np.unique(np.concatenate([x, y]))
    if not 2 < values.size <= min(_LEVELS, x.size):
        return False
    gap = np.diff(values)
    step = float(gap[gap > _NEAR * size].min(initial=np.inf))
    places = (values - values[0]) / step
    return bool(size <= (1 + _NEAR) * step and np.abs(places - np.rint(places)).max() < 0.05)
