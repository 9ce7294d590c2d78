"""Normalizations by mean and variance, by root mean square, and by neighbours.

Float arrays are computed in their own dtype. ``axes`` are non-negative and distinct. Inputs are never written to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from irrun.kernels.lines import by_lines
from irrun.kernels.threads import Array, scratch

_ROWS = 1 << 16
"""The number of elements normalized at a time."""


def sum_of_squares(x: Array, axes: Sequence[int]) -> Array:
    """Return the sums of squares along the axes, kept with size 1."""
    kept = x.ndim - len(axes)
    if axes and sorted(axes) == list(range(kept, x.ndim)) and x.flags.c_contiguous:
        rows = x.reshape(*x.shape[:kept], math.prod(x.shape[kept:]))
        sums = np.asarray(np.vecdot(rows, rows))
        return sums.reshape(*x.shape[:kept], *(1,) * len(axes))
    return np.asarray(np.sum(np.square(x), axis=tuple(axes), keepdims=True))


def _count(x: Array, axes: Sequence[int]) -> int:
    count: int = math.prod(x.shape[axis] for axis in axes)
    return max(count, 1)


def mean_variance(
    x: Array, axes: Sequence[int], eps: float | None, eps_outside: bool = False, out: Array | None = None
) -> Array:
    """Subtract the mean along the axes and, unless ``eps`` is None, divide by the standard deviation.

    ``eps`` is added to the variance, or with ``eps_outside`` to its root. ``out`` may be x itself.
    """
    result = np.empty_like(x) if out is None else out
    kept = x.ndim - len(axes)
    in_rows = bool(axes) and sorted(axes) == list(range(kept, x.ndim))
    if not (in_rows and x.flags.c_contiguous and result.flags.c_contiguous):
        _mean_variance(x, tuple(axes), eps, eps_outside, result)
        return result
    length = math.prod(x.shape[kept:])
    rows, targets = x.reshape(-1, length) if x.size else x, result.reshape(-1, length) if x.size else result
    step = max(_ROWS // max(length, 1), 1)

    for start in range(0, len(rows) if x.size else 0, step):
        _mean_variance(rows[start : start + step], (1,), eps, eps_outside, targets[start : start + step])
    return result


def _mean_variance(x: Array, axes: tuple[int, ...], eps: float | None, eps_outside: bool, out: Array) -> None:
    count = _count(x, axes)
    mean = np.asarray(np.sum(x, axis=axes, keepdims=True))
    mean /= count
    np.subtract(x, mean, out=out)
    if eps is None:
        return
    variance = sum_of_squares(out, axes)
    variance /= count
    divide_by_root(out, variance, eps, eps_outside, out)


def divide_by_root(x: Array, variance: Array, eps: float, eps_outside: bool, out: Array) -> None:
    """Divide x by the root of ``variance`` plus ``eps``, or with ``eps_outside`` by the root, plus ``eps``.

    ``variance`` is overwritten; ``out`` may be x.
    """
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
    root = sum_of_squares(x, (x.ndim - 1,))
    root /= _count(x, (x.ndim - 1,))
    root += eps
    np.sqrt(root, out=root)
    return np.asarray(x / root)


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
    if len(axes) == 1 and x.size:
        respond = partial(_respond, factor=factor, beta=beta, bias=bias, reach=size // 2)
        by_lines(respond, x, result, axes[0])
        return result
    total = np.asarray(np.square(x))
    for axis in axes:
        total = window_sum(total, axis, size // 2)
    total *= factor
    total += bias
    _raise(total, beta)

    np.divide(x, total, out=result)
    return result


def _respond(x: Array, out: Array, factor: float, beta: float, bias: float, reach: int) -> None:
    """Compute the local response along the second to last axis.

    Lines are padded with zeros and concatenated, so that neighbours are summed in long runs.
    """
    length, inner = x.shape[-2:]
    reach = min(reach, length - 1)
    shape = (*x.shape[:-2], length + 2 * reach, inner)
    squares = scratch("squares", shape, x.dtype)
    squares[..., :reach, :] = 0
    squares[..., reach + length :, :] = 0
    np.multiply(x, x, out=squares[..., reach : reach + length, :])
    count = squares.size - 2 * reach * inner
    sums, flat = scratch("sums", shape, x.dtype), squares.reshape(-1)
    total = sums.reshape(-1)[:count]
    np.copyto(total, flat[:count])
    for step in range(inner, (2 * reach + 1) * inner, inner):
        total += flat[step : step + count]
    np.multiply(total, factor, out=total)
    np.add(total, bias, out=total)
    _raise(total, beta)
    np.divide(x, sums[..., :length, :], out=out)


def _raise(x: Array, exponent: float) -> None:
    """Raise x to the power of ``exponent``, in place; square roots are much faster for 0.75."""
    if exponent == 0.75:
        np.sqrt(x, out=x)
        np.multiply(x, np.sqrt(x, out=scratch("roots", x.shape, x.dtype)), out=x)
    else:
        np.power(x, exponent, out=x)
