"""Resampling along axes. Every mode is separable: each axis is a weighted sum of a few elements, the *taps*."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from irrun.kernels.threads import Array

F = np.float32

_DENSE = 256
"""The size of an axis up to which a matrix product is faster than gathering."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis to resample: its index, its sizes before and after, and the ratio specified by the caller."""

    axis: int
    size: int
    target: int
    scale: float


def source_coordinates(of: Axis, mode: str) -> Array:
    """Return the places of the resized axis's elements on the original axis, in float32."""
    x = np.arange(of.target, dtype=F)
    scale, half = F(of.scale), F(0.5)
    if mode == "asymmetric":
        return x / scale
    if mode == "align_corners":
        return x * F(of.size - 1) / F(of.target - 1) if of.target != 1 else np.zeros(1, F)
    if mode == "tf_half_pixel_for_nn":
        return (x + half) / scale
    if mode == "pytorch_half_pixel" and of.target <= 1:
        return np.zeros(of.target, F)
    return x if of.size == of.target and scale == 1 else (x + half) / scale - half


def nearest(data: Array, axes: Sequence[Axis], coordinates: str, rounding: str) -> Array:
    """Resample to the nearest element, rounding places as ``rounding`` specifies."""
    growing = sorted(axes, key=lambda of: (of.target > of.size, of.axis if of.target < of.size else -of.axis))
    for of in growing:
        x = source_coordinates(of, coordinates)
        index = np.clip(_ROUNDED[rounding](x, of.scale < 1).astype(np.int64), 0, of.size - 1)
        data = np.take(data, index, axis=of.axis)
    return data


def linear(data: Array, axes: Sequence[Axis], coordinates: str, antialias: bool) -> Array:
    """Resample by a mean of the elements around each place, with linearly decreasing weights; 0 without any element.

    With ``antialias``, the triangle of weights is widened by the factor by which the axis shrinks.
    """
    widen = antialias and any(of.scale < 1 for of in axes)
    result = _as_float(data)
    for of in axes:
        x = source_coordinates(of, coordinates)
        slope = F(of.scale) if widen else F(1)
        reach = 2 if of.scale > 1 else int(np.ceil(F(2) / slope))
        index = np.floor(x + F(0.5)).astype(np.int64)[:, None] + np.arange(-reach, reach + 1)
        weights = np.maximum(1 - np.abs(slope * (x[:, None] - index.astype(F))), 0)
        weights *= (index >= 0) & (index < of.size)
        total = weights.sum(axis=1, keepdims=True)
        weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
        result = _resample(result, of.axis, index, weights)
    return _like(result, data)


def linear_onnx(data: Array, axes: Sequence[Axis], coordinates: str) -> Array:
    """Interpolate linearly between the two elements around each place, which is clipped to the axis."""
    result = _as_float(data)
    for of in axes:
        x = np.clip(source_coordinates(of, coordinates), 0, F(of.size - 1))
        left = x.astype(np.int64)
        right = np.minimum(left + 1, of.size - 1)
        weight = x - left.astype(F)
        result = _resample(result, of.axis, np.stack([left, right], 1), np.stack([1 - weight, weight], 1))
    return _like(result, data)


def cubic(data: Array, axes: Sequence[Axis], coordinates: str, coefficient: float) -> Array:
    """Interpolate by cubic convolution over four elements; the border elements are repeated outward."""
    result = _as_float(data)
    for of in axes:
        x = source_coordinates(of, coordinates)
        base = np.floor(x)
        weights = cubic_weights(x - base, coefficient)
        result = _resample(result, of.axis, base.astype(np.int64)[:, None] + np.arange(-1, 3), weights)
    return _like(result, data)


def cubic_weights(fraction: Array, a: float) -> Array:
    """Return the weights [..., 4] of the elements at -1, 0, 1, 2 for places ``fraction`` after 0 (Keys, 1981)."""
    s = fraction
    return np.stack(
        [
            a * (s - 1) * (s - 1) * s,
            ((a + 2) * s - (a + 3)) * s * s + 1,
            (((-a - 2) * s + (2 * a + 3)) * s - a) * s,
            -a * s * s * (s - 1),
        ],
        axis=-1,
    ).astype(fraction.dtype, copy=False)


def area(data: Array, axes: Sequence[Axis]) -> Array:
    """Return the mean of the part of the original axes that each resized element covers."""
    result = _as_float(data)
    for of in axes:
        edges = np.arange(of.target + 1) * (of.size / max(of.target, 1))
        first = np.floor(edges[:-1]).astype(np.int64)
        taps = int(np.ceil(edges[1:] - first).max(initial=1))
        index = first[:, None] + np.arange(taps)
        covered = np.minimum(edges[1:, None], index + 1) - np.maximum(edges[:-1, None], index)
        weights = np.maximum(covered, 0)
        result = _resample(result, of.axis, index, weights / weights.sum(axis=1, keepdims=True))
    return _like(result, data)


def pillow(data: Array, axes: Sequence[Axis], mode: str, coefficient: float) -> Array:
    """Resample like the Pillow library, including its antialiasing; the last of the axes is resampled first."""
    support, weigh = _PILLOW[mode]
    result = data
    for of in reversed(axes):
        if of.size == of.target:
            continue
        step = of.size / of.target
        wide = max(step, 1.0)
        center = (np.arange(of.target) + 0.5) * step
        first = np.maximum((center - support * wide + 0.5).astype(np.int64), 0)
        last = np.minimum((center + support * wide + 0.5).astype(np.int64), of.size)
        index = first[:, None] + np.arange(int((last - first).max(initial=1)))
        weights = weigh(np.abs(index - center[:, None] + 0.5) / wide, coefficient) * (index < last[:, None])
        total = weights.sum(axis=1, keepdims=True)
        weights = np.divide(weights, total, out=weights, where=total != 0)
        sums = _resample(result.astype(np.float64, copy=False), of.axis, index, weights)
        result = _like(sums, data)
    return result


def _resample(data: Array, axis: int, index: Array, weights: Array) -> Array:
    """Return the sum over t of data[index[:, t]] * weights[:, t] along one axis; indices are clipped to the axis."""
    size = data.shape[axis]
    if size <= _DENSE and data.size and np.isfinite(np.sum(data)):
        return _product(data, axis, np.clip(index, 0, size - 1), weights)
    along = (-1, *(1 for _ in range(data.ndim - 1 - axis)))
    result: Array | None = None
    for places, factors in zip(np.clip(index, 0, size - 1).T, weights.T.astype(data.dtype, copy=False), strict=True):
        if result is not None and not factors.any():
            continue
        part = np.take(data, places, axis=axis)
        part *= factors.reshape(along)
        if result is None:
            result = part
        else:
            result += part
    if result is None:
        raise ValueError("no taps")
    return result


def _product(data: Array, axis: int, index: Array, weights: Array) -> Array:
    """Compute ``_resample`` as a product with a mostly zero matrix; data must be finite."""
    target, size = len(index), data.shape[axis]
    matrix = np.zeros((target, size), data.dtype)
    np.add.at(matrix, (np.arange(target)[:, np.newaxis], index), weights.astype(data.dtype, copy=False))
    inner = math.prod(data.shape[axis + 1 :])
    shape = (*data.shape[:axis], target, *data.shape[axis + 1 :])
    if inner == 1:
        product: Array = np.matmul(data.reshape(-1, size), matrix.T)
    else:
        product = np.matmul(matrix, data.reshape(-1, size, inner))
    return product.reshape(shape)


def _as_float(data: Array) -> Array:
    if data.dtype.kind == "f":
        return data
    return data.astype(np.float64 if data.dtype.itemsize > 2 else F)


def _like(result: Array, data: Array) -> Array:
    """Convert the result to the dtype of the data; integers are rounded, ties to even, and clipped."""
    if data.dtype.kind == "f":
        return result.astype(data.dtype, copy=False)
    bounds = np.iinfo(data.dtype)
    return np.clip(np.rint(result), bounds.min, bounds.max).astype(data.dtype)


def _half_up(x: Array, _shrinking: bool) -> Array:
    base = np.floor(x)
    return base + (x - base >= 0.5)


def _half_down(x: Array, _shrinking: bool) -> Array:
    base = np.floor(x)
    return base + (x - base > 0.5)


_ROUNDED: dict[str, Callable[[Array, bool], Array]] = {
    "round_prefer_floor": _half_down,
    "round_prefer_ceil": _half_up,
    "floor": lambda x, _: np.floor(x),
    "ceil": lambda x, _: np.ceil(x),
    "simple": lambda x, shrinking: np.ceil(x) if shrinking else np.trunc(x),
}


def _triangle(distance: Array, _: float) -> Array:
    weight: Array = np.maximum(1 - distance, 0)
    return weight


def _keys(distance: Array, a: float) -> Array:
    near: Array = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = (((distance - 5) * distance + 8) * distance - 4) * a
    return np.where(distance < 1, near, np.where(distance < 2, far, 0))


_PILLOW: dict[str, tuple[float, Callable[[Array, float], Array]]] = {
    "bilinear_pillow": (1.0, _triangle),
    "bicubic_pillow": (2.0, _keys),
}
