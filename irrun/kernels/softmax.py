"""Softmax of float arrays, computed in the dtype of the array."""

from __future__ import annotations

import numpy as np

from irrun.kernels.threads import Array


def softmax(x: Array, axis: int, out: Array | None = None) -> Array:
    """Return exp(x) / sum(exp(x)) along an axis; 1 for a scalar. ``out`` may be x itself."""
    if x.ndim == 0 or x.size == 0:
        return np.asarray(np.exp(x - x))
    result: Array = np.subtract(x, np.max(x, axis=axis, keepdims=True), out=out)
    np.exp(result, out=result)
    total = np.sum(result, axis=axis, keepdims=True)
    result *= np.reciprocal(total, out=total)
    return result


def log_softmax(x: Array, axis: int) -> Array:
    """Return log(softmax(x)) along an axis, without overflow or underflow of the quotient; 0 for a scalar."""
    if x.ndim == 0 or x.size == 0:
        return np.asarray(x - x)
    result: Array = np.subtract(x, np.max(x, axis=axis, keepdims=True))
    total = np.sum(np.exp(result), axis=axis, keepdims=True)
    result -= np.log(total, out=total)
    return result
