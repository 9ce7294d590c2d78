"""Normalizations by mean and variance, by root mean square, and by neighbours.

Float arrays are computed in their own dtype. ``axes`` are non-negative and distinct. Inputs are never written to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.threads import Array


def mean_variance(
    x: Array, axes: Sequence[int], eps: float | None, eps_outside: bool = False, *, centred: bool = True
) -> Array:
    """Subtract the mean along the axes and, unless ``eps`` is None, divide by the standard deviation.

    ``eps`` is added to the variance, or with ``eps_outside`` to its root. Without ``centred`` the mean is taken as
    zero, which is root mean square normalization.
    """
    count = max(math.prod(x.shape[axis] for axis in axes), 1)
    result = x - np.sum(x, axis=tuple(axes), keepdims=True) / count if centred else x.copy()
    if eps is not None:
        variance = sum_of_squares(result, axes) / count
        result /= np.sqrt(variance) + eps if eps_outside else np.sqrt(variance + eps)
    return result


def sum_of_squares(x: Array, axes: Sequence[int]) -> Array:
    """Return the sums of squares along the axes, kept with size 1."""
    return np.asarray(np.sum(np.square(x), axis=tuple(axes), keepdims=True))


def across_channels(x: Array, bias: float) -> Array:
    """Divide x by the root of the sum of squares along axis 1 plus ``bias``."""
    norm = np.square(x, dtype=np.float64).sum(axis=1, keepdims=True)
    norm += bias
    return np.asarray(np.divide(x, np.sqrt(norm, out=norm), dtype=np.float64).astype(x.dtype))


def unit_norm(x: Array, axes: Sequence[int], eps: float, at_least: bool) -> Array:
    """Divide x by the root of the sum of squares along the axes plus ``eps``.

    With ``at_least``, ``eps`` is instead a lower bound of the sum. Without axes, x is divided by itself, and zero stays
    zero.
    """
    if not axes:
        return np.where(x == 0, x, x / x)
    norm = sum_of_squares(x, axes)
    if at_least:
        np.maximum(norm, eps, out=norm)
    else:
        norm += eps
    return np.asarray(x / np.sqrt(norm, out=norm))


def group(x: Array, scale: Array, bias: Array, groups: int, eps: float) -> Array:
    """Normalize each group of channels of each sample; ``scale`` and ``bias`` have a value for each channel."""
    batch, channels = x.shape[:2]
    inner = math.prod(x.shape[2:])
    grouped = mean_variance(np.ascontiguousarray(x).reshape(batch, groups, channels // groups * inner), (2,), eps)
    result = grouped.reshape(batch, channels, inner)
    result *= scale[:, None]
    result += bias[:, None]
    return result.reshape(x.shape)


def batch(x: Array, gamma: Array, beta: Array, mean: Array, variance: Array, eps: float) -> Array:
    """Return gamma * (x - mean) / sqrt(variance + eps) + beta, with one value of each for every channel (axis 1)."""
    along = (-1, *(1,) * (x.ndim - 2))
    result = np.asarray(x - mean.reshape(along))
    result *= (gamma / np.sqrt(variance + variance.dtype.type(eps))).reshape(along)
    result += beta.reshape(along)
    return result


def window_sum(x: Array, axis: int, reach: int) -> Array:
    """Return the sum of each element and its neighbours up to ``reach`` away along an axis."""
    size = x.shape[axis]
    result = x.copy(order="K")
    here, there = np.moveaxis(result, axis, 0), np.moveaxis(x, axis, 0)
    for step in range(1, min(reach, size - 1) + 1):
        here[step:] += there[:-step]
        here[:-step] += there[step:]
    return result


def local_response(x: Array, axes: Sequence[int], alpha: float, beta: float, bias: float, size: int) -> Array:
    """Return x / (bias + alpha / size ** len(axes) * sum) ** beta, with the sum of squares within size // 2 of x."""
    factor = alpha / size ** len(axes) if size else math.inf
    total = np.asarray(np.square(x))
    for axis in axes:
        total = window_sum(total, axis, size // 2)
    return np.asarray(x / (total * factor + bias) ** beta)


def softmax(x: Array, axis: int) -> Array:
    """Return exp(x) / sum(exp(x)) along an axis; 1 for a scalar."""
    if x.ndim == 0 or x.size == 0:
        return np.asarray(np.exp(x - x))
    result = x - np.max(x, axis=axis, keepdims=True)
    np.exp(result, out=result)
    result /= np.sum(result, axis=axis, keepdims=True)
    return np.asarray(result)


def log_softmax(x: Array, axis: int) -> Array:
    """Return log(softmax(x)) along an axis, without overflow or underflow of the quotient; 0 for a scalar."""
    if x.ndim == 0 or x.size == 0:
        return np.asarray(x - x)
    result = x - np.max(x, axis=axis, keepdims=True)
    result -= np.log(np.sum(np.exp(result), axis=axis, keepdims=True))
    return np.asarray(result)
