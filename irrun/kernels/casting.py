"""Conversions between number types, the same on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def cast(values: Array, dtype: np.dtype[Any]) -> Array:
    """`values` as `dtype`: floats are truncated toward zero, integers wrap, a boolean tells what is neither zero nor NaN."""
    if dtype == np.bool_:
        return (values < 0) | (values > 0)
    if values.dtype.kind == "f" and dtype.kind in "iu":
        return truncate(values, dtype)
    return values.astype(dtype, copy=False)


def truncate(values: Array, dtype: np.dtype[Any]) -> Array:
    """Floats as integers of `dtype`, the fraction dropped, modulo 2^bits.

    NaN, and what is beyond the 32 bits (for types of 8, 16 and signed 32 bits) or 64 bits that hold the value first,
    counts as the smallest of these.
    """
    if dtype == np.uint64:
        upper = values >= 2.0**63
        if upper.any():
            halves = truncate(np.where(upper, values - 2.0**63, values), np.dtype(np.int64)).astype(np.uint64)
            return halves ^ (upper.astype(np.uint64) << np.uint64(63))
    wide = np.int32 if dtype.itemsize < 4 or dtype == np.int32 else np.int64
    limit = 2.0 ** (np.iinfo(wide).bits - 1)
    inside = np.abs(values) < limit
    if not inside.all():
        values = np.where(inside, values, -limit)
    return values.astype(wide).astype(dtype, copy=False)


def nearest(values: Array) -> Array:
    """Floats rounded to the nearest whole number, halves away from zero."""
    whole = np.trunc(values)
    return np.asarray(whole + np.where(np.abs(values - whole) >= 0.5, np.sign(values), 0).astype(values.dtype))


def integer_sqrt(values: Array) -> Array:
    """Square roots of integers, rounded to the nearest integer, in their type; what is negative gives its smallest value."""
    root = np.rint(np.sqrt(np.maximum(values, 0).astype(np.float64)))
    near = np.minimum(root, 2.0**32 - 1).astype(np.uint64)
    square = np.maximum(values, 0).astype(np.uint64)
    # The root of n lies nearest to r where r*r - r < n <= r*r + r.
    near -= square + near <= near * near
    near += square - np.minimum(square, near) > near * near
    result = near.astype(values.dtype)
    return np.where(values < 0, np.iinfo(values.dtype).min, result)
