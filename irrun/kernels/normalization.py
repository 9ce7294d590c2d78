"""Normalizations by mean and variance, by root mean square, and by neighbours.

Float arrays are computed in their own dtype. ``axes`` are non-negative and distinct. Inputs are never written to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.kernels.threads import Array, scratch

BLOCK: Final = 1 << 17
"""The number of elements normalized at a time."""


def sum_of_squares(x: Array, axes: Sequence[int]) -> Array:
    """Return the sums of squares along the axes, kept with size 1."""
    if tuple(axes) == (x.ndim - 1,):
        return np.asarray(np.vecdot(x, x))[..., np.newaxis]
    if not _are_rows(x, axes):
        return np.asarray(np.sum(np.square(x), axis=tuple(axes), keepdims=True))
    kept = x.shape[: x.ndim - len(axes)]
    rows = x.reshape(*kept, math.prod(x.shape[len(kept) :]))
    return np.asarray(np.vecdot(rows, rows)).reshape(*kept, *(1,) * len(axes))


def _are_rows(x: Array, axes: Sequence[int]) -> bool:
    """Return whether the axes are the last ones of an array without gaps."""
    return bool(axes) and sorted(axes) == list(range(x.ndim - len(axes), x.ndim)) and x.flags.c_contiguous


def mean_variance(
    x: Array, axes: Sequence[int], eps: float | None, eps_outside: bool = False, out: Array | None = None
) -> Array:
    """Subtract the mean along the axes and, unless ``eps`` is None, divide by the standard deviation.

    ``eps`` is added to the variance, or with ``eps_outside`` to its root. ``out`` may be x itself.
    """
    result = np.empty_like(x) if out is None else out
    if _are_rows(x, axes) and result.flags.c_contiguous and x.size:
        shape = -1, math.prod(x.shape[x.ndim - len(axes) :])
        layer_norm(x.reshape(shape), None, None, eps, eps_outside, True, result.reshape(shape))
    else:
        count = math.prod(x.shape[axis] for axis in axes)
        _normalize(x, axes, count, np.asarray(np.sum(x, axis=tuple(axes), keepdims=True)), eps, eps_outside, result)
    return result


def layer_norm(
    x: Array, gamma: Array | None, beta: Array | None, eps: float | None, eps_outside: bool, centred: bool, out: Array
) -> None:
    """Compute (x - mean) / sqrt(variance + eps) * gamma + beta for each row of a matrix; ``out`` may be x.

    ``eps_outside`` adds eps to the root instead; without eps, nothing is divided. Without ``centred`` the mean is taken
    as zero, which is root mean square normalization.
    """
    rows, columns = x.shape
    step = max(BLOCK // max(columns, 1), 1)
    for start in range(0, rows, step):
        block, target = x[start : start + step], out[start : start + step]
        total = np.sum(block, axis=1, keepdims=True) if centred else None
        _normalize(block, (1,), columns, total, eps, eps_outside, target)
        if gamma is not None:
            target *= gamma
        if beta is not None:
            target += beta


def _normalize(
    x: Array, axes: Sequence[int], count: int, total: Array | None, eps: float | None, eps_outside: bool, out: Array
) -> None:
    """Subtract the mean of ``count`` elements along the axes, given their sums, and divide by the root mean square."""
    if total is not None:
        total /= max(count, 1)
        x = np.subtract(x, total, out=out)
    if eps is not None:
        variance = sum_of_squares(x, axes)
        variance /= max(count, 1)
        if not eps_outside:
            variance += eps
        np.sqrt(variance, out=variance)
        if eps_outside:
            variance += eps
        np.divide(x, variance, out=out)


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


def root_mean_square(x: Array, eps: float) -> Array:
    """Divide x by its root mean square along the last axis; ``eps`` is added to the mean."""
    result = np.empty(x.shape, x.dtype)
    if x.size:
        layer_norm(x.reshape(-1, x.shape[-1]), None, None, eps, False, False, result.reshape(-1, x.shape[-1]))
    return result


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


def local_response(
    x: Array, axes: Sequence[int], alpha: float, beta: float, bias: float, size: int, out: Array | None = None
) -> Array:
    """Return x / (bias + alpha / size ** len(axes) * sum) ** beta, with the sum of squares within size // 2 of x."""
    result = np.empty_like(x) if out is None else out
    factor = alpha / size ** len(axes) if size else math.inf
    total = np.asarray(np.square(x))
    for axis in axes:
        total = window_sum(total, axis, size // 2)
    total *= factor
    total += bias
    _raise(total, beta)

    np.divide(x, total, out=result)
    return result


def _raise(x: Array, exponent: float) -> None:
    """Raise x to the power of ``exponent``, in place; square roots are much faster for 0.75."""
    if exponent == 0.75:
        np.sqrt(x, out=x)
        np.multiply(x, np.sqrt(x, out=scratch("roots", x.shape, x.dtype)), out=x)
    else:
        np.power(x, exponent, out=x)


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
