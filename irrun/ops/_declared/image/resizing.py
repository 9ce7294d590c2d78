"""Sizes of padded and resized axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.ops import Array, Dim, OpError, Shape
from irrun.tensor import UNBOUNDED


def scaled(size: Dim, scale: float) -> Dim:
    """Return a size multiplied by a scale and rounded down."""
    if float(scale).is_integer():
        return size * int(scale)
    return Dim(scaled_down(size.lo, scale), UNBOUNDED if size.hi == UNBOUNDED else scaled_down(size.hi, scale))


def scaled_down(size: int, scale: float) -> int:
    """Multiply a size by a scale in float32 and round down, with a tolerance of 1e-6."""
    return int(np.floor(np.float32(np.float64(size) * np.float64(np.float32(scale)) + 1e-6)))


def padded_sizes(dims: Sequence[Dim], begins: Sequence[int], ends: Sequence[int]) -> list[Dim]:
    """Return the sizes with the padding of each axis."""
    return [dim + (begin + end) for dim, begin, end in zip(dims, begins, ends, strict=True)]


def to_rank(pads: tuple[int, ...], rank: int) -> list[int]:
    """Return the padding of each axis; zeros fill it up to the rank."""
    return [*pads[:rank], *([0] * (rank - len(pads)))]


def resized(dims: Sequence[Dim], axes: Sequence[int], sizes: Sequence[Dim]) -> Shape:
    """Return the shape with these sizes of ``axes``; OpError where an empty axis would get elements."""
    result = list(dims)
    for axis, size in zip(axes, sizes, strict=True):
        result[axis] = size
    if all(size.lo > 0 for size in result):
        for axis, size in zip(axes, sizes, strict=True):
            if dims[axis].hi == 0:
                raise OpError(f"axis {axis} is empty, expected elements to resize it to {size}", input=0)
    return Shape(result)


def check_finite(scales: Array) -> None:
    """Raise OpError where a scale is infinite or NaN."""
    if not np.isfinite(scales).all():
        raise OpError(
            f"scales are {', '.join(map(str, scales.reshape(-1).tolist()))}, expected finite numbers", input=1
        )


def check_distinct(axes: Sequence[int]) -> None:
    """Raise OpError where an axis occurs twice."""
    if len(set(axes)) != len(axes):
        raise OpError(f"axes are {', '.join(map(str, axes))}, expected each only once", attribute="axes")
