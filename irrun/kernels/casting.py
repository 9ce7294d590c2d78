"""Conversions between number types with the same result on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irrun.kernels.threads import Array


def cast(values: Array, dtype: np.dtype[Any]) -> Array:
    """Convert `values` to `dtype`: floats are truncated, integers wrap; as booleans only zero and NaN are false."""
    if dtype == np.bool_:
        return (values < 0) | (values > 0)
    if values.dtype.kind == "f" and dtype.kind in "iu":
        return truncate(values, dtype)
    return values.astype(dtype, copy=False)


def truncate(values: Array, dtype: np.dtype[Any]) -> Array:
    """Truncate floats to integers of `dtype`, modulo 2^bits.

    The intermediate type is int32 (for types of 8, 16 and signed 32 bits) or int64; NaN and values outside its range
    become its minimum.
    """
    if dtype == np.uint64:
        upper = values >= 2.0**63
        if upper.any():
            halves = truncate(np.where(upper, values - 2.0**63, values), np.dtype(np.int64)).astype(np.uint64)
            return halves ^ (upper.astype(np.uint64) << np.uint64(63))
    limit = min(reach(dtype), 2.0**63)
    wide = np.int32 if limit < 2.0**63 else np.int64
    inside = np.abs(values) < limit
    if not inside.all():
        values = np.where(inside, values, -limit)
    return values.astype(wide).astype(dtype, copy=False)


def reach(dtype: np.dtype[Any]) -> float:
    """Return the magnitude beyond which `truncate` does not keep the lower bits of a number."""
    if dtype == np.uint64:
        return 2.0**64
    return 2.0**31 if dtype.itemsize < 4 or dtype == np.int32 else 2.0**63


def nearest(values: Array) -> Array:
    """Round floats to the nearest whole number, ties away from zero."""
    whole = np.trunc(values)
    with np.errstate(invalid="ignore"):
        away = np.abs(values - whole) >= 0.5
    return np.asarray(np.where(away, whole + np.copysign(1, values).astype(values.dtype), whole))


def in_floats(function: Callable[..., Array], x: Array, *parameters: Any) -> Array:
    """Return ``function(x, *parameters)``; integers are computed in float64 and rounded to nearest, ties to even."""
    if x.dtype.kind == "f":
        return np.asarray(function(x, *parameters))
    return np.asarray(np.rint(function(x.astype(np.float64), *parameters)))


def integer_sqrt(values: Array) -> Array:
    """Return integer square roots, rounded to nearest, in the same type; the type's minimum for negative numbers."""
    square = np.maximum(values, 0).astype(np.uint64)
    root = np.rint(np.sqrt(square.astype(np.float64))).astype(np.uint64)
    # r is nearest to the root of n where -r < n - r*r <= r; the difference is small, so wrapping is harmless.
    gap, near = (square - root * root).view(np.int64), root.view(np.int64)
    result = (near + (gap > near) - (gap <= -near) * (near > 0)).astype(values.dtype)
    return np.where(values < 0, np.iinfo(values.dtype).min, result)


def rounded(x: Array, precision: str) -> Array:
    """Return f32 rounded to the numbers of f32, bf16 or f16, as f32."""
    if precision == "bf16":
        return widened(bf16_bits(x))
    if precision == "f16":
        with np.errstate(over="ignore", under="ignore"):
            return x.astype(np.float16).astype(np.float32)
    return x


def bf16_bits(x: Array) -> Array:
    """Return the bits of f32 rounded to bf16; numbers below 2**-126 become zero, as in processors."""
    x = np.asarray(x, np.float32)
    bits = x.view(np.uint32)
    nearest = (bits + (0x7FFF + (bits >> 16 & 1))) >> 16
    nearest = np.where(np.abs(x) < 2.0**-126, bits >> 16 & 0x8000, nearest)
    return np.where(np.isnan(x), bits >> 16 | 0x40, nearest).astype(np.uint16)


def widened(bits: Array) -> Array:
    """Return the f32 that the bits of bf16 mean."""
    wide = bits.astype(np.uint32)
    wide <<= 16
    return wide.view(np.float32)
