"""Softmax of float arrays, computed in the dtype of the array."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from irrun.kernels.lines import by_lines
from irrun.kernels.threads import Array

_MODERATE: Final = 60.0
"""A bound on arguments of exp: float32 can hold sums of many values of exp(60) = 1e26, and their reciprocals.
"""

_LONG: Final = 1 << 14
"""Elements of a row from which on summing is nearly as fast as a product, and more accurate."""


def softmax(x: Array, axis: int, out: Array | None = None) -> Array:
    """Return exp(x) / sum(exp(x)) along an axis; 1 for a scalar. ``out`` may be x itself."""
    if x.ndim == 0 or x.size == 0:
        return np.asarray(np.exp(x - x))
    result = np.empty_like(x) if out is None else out
    by_lines(_softmax, x, result, axis % x.ndim)
    return result


def _softmax(x: Array, out: Array) -> None:
    """Compute softmax along the second to last axis."""
    if x.shape[-1] == 1 and x.ndim == 3 and out.flags.c_contiguous:
        _softmax_of_rows(x[..., 0], out[..., 0])
        return
    np.subtract(x, np.maximum.reduce(x, axis=-2, keepdims=True), out=out)
    np.exp(out, out=out)
    total = np.add.reduce(out, axis=-2, keepdims=True)
    np.multiply(out, np.reciprocal(total, out=total), out=out)


def _softmax_of_rows(x: Array, out: Array) -> None:
    if is_moderate(x):
        np.exp(x, out=out)
    else:
        np.subtract(x, np.maximum.reduce(x, axis=1, keepdims=True), out=out)
        np.exp(out, out=out)
    total = row_sums(out)
    np.multiply(out, np.reciprocal(total, out=total), out=out)


def is_moderate(x: Array) -> bool:
    """Return whether exponentials of x, and sums of them, are far from overflow and underflow."""
    return bool(np.max(x) <= _MODERATE and np.min(x) >= -_MODERATE)


def row_sums(x: Array) -> Array:
    """Return the sums along the last axis, kept with size 1. A product with ones is faster than summing short rows."""
    is_short = x.shape[-1] < _LONG
    return np.asarray(np.matmul(x, _ones(x.dtype, x.shape[-1])) if is_short else np.sum(x, axis=-1, keepdims=True))


@lru_cache(16)
def _ones(dtype: np.dtype[Any], size: int) -> Array:
    return np.ones((size, 1), dtype)


def log_softmax(x: Array, axis: int) -> Array:
    """Return log(softmax(x)) along an axis, without overflow or underflow of the quotient; 0 for a scalar."""
    if x.ndim == 0 or x.size == 0:
        return np.asarray(x - x)
    result: Array = np.subtract(x, np.max(x, axis=axis, keepdims=True))
    total = np.sum(np.exp(result), axis=axis, keepdims=True)
    result -= np.log(total, out=total)
    return result
