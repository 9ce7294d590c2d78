"""Resampling along axes. Every mode is separable: each axis is a weighted sum of a few elements, the *taps*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.threads import Array

F = np.float32

Taps = tuple[Array, Array]
"""The indices [target, taps] of elements, and their weights."""


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


class Resampling(NamedTuple):
    """The elements of an axis as sums of others: by the ``taps`` of each.

    ``picks`` says that each is one element, ``as_pillow`` that the last of several axes is resampled first, axes that
    keep their size are left alone, and integers are rounded each time.
    """

    taps: Callable[[Axis], Taps]
    picks: bool = False
    as_pillow: bool = False


def nearest(coordinates: str, rounding: str) -> Resampling:
    """The nearest element, with places rounded as ``rounding`` specifies."""

    def taps(of: Axis) -> Taps:
        x = source_coordinates(of, coordinates)
        index = np.clip(_ROUNDED[rounding](x, of.scale < 1).astype(np.int64), 0, of.size - 1)
        return index[:, None], np.ones((of.target, 1), F)

    return Resampling(taps, picks=True)


def linear(axes: Sequence[Axis], coordinates: str, antialias: bool) -> Resampling:
    """A mean of the elements around each place, with linearly decreasing weights; 0 without any element.

    With ``antialias``, the triangle of weights is widened by the factor by which the axis shrinks.
    """
    widen = antialias and any(of.scale < 1 for of in axes)

    def taps(of: Axis) -> Taps:
        x = source_coordinates(of, coordinates)
        slope = F(of.scale) if widen else F(1)
        reach = 2 if of.scale > 1 else int(np.ceil(F(2) / slope))
        index = np.floor(x + F(0.5)).astype(np.int64)[:, None] + np.arange(-reach, reach + 1)
        weights = _triangle(np.abs(slope * (x[:, None] - index.astype(F))))
        return index, _normalized(weights * ((index >= 0) & (index < of.size)))

    return Resampling(taps)


def linear_onnx(coordinates: str) -> Resampling:
    """A linear interpolation between the two elements around each place, which is clipped to the axis."""

    def taps(of: Axis) -> Taps:
        x = np.clip(source_coordinates(of, coordinates), 0, F(of.size - 1))
        left = x.astype(np.int64)
        weight = x - left.astype(F)
        return left[:, None] + np.arange(2), np.stack([1 - weight, weight], 1)

    return Resampling(taps)


def cubic(coordinates: str, coefficient: float) -> Resampling:
    """A cubic convolution over four elements; the border elements are repeated outward."""

    def taps(of: Axis) -> Taps:
        x = source_coordinates(of, coordinates)
        base = np.floor(x)
        return base.astype(np.int64)[:, None] + np.arange(-1, 3), cubic_weights(x - base, coefficient)

    return Resampling(taps)


def cubic_weights(fraction: Array, a: float) -> Array:
    """Return the weights [..., 4] of the elements at -1, 0, 1, 2 for places ``fraction`` after 0."""
    return _keys(np.abs(fraction[..., None] - np.arange(-1, 3, dtype=fraction.dtype)), a)


def area() -> Resampling:
    """The mean of the part of the original axis that each resized element covers."""

    def taps(of: Axis) -> Taps:
        edges = np.arange(of.target + 1) * (of.size / max(of.target, 1))
        first = np.floor(edges[:-1]).astype(np.int64)
        index = first[:, None] + np.arange(int(np.ceil(edges[1:] - first).max(initial=1)))
        covered = np.minimum(edges[1:, None], index + 1) - np.maximum(edges[:-1, None], index)
        return index, _normalized(np.maximum(covered, 0))

    return Resampling(taps)


def pillow(mode: str, coefficient: float) -> Resampling:
    """Resampling as in the Pillow library, including its antialiasing."""
    support = 1.0 if mode == "bilinear_pillow" else 2.0

    def taps(of: Axis) -> Taps:
        step = of.size / of.target
        wide = max(step, 1.0)
        center = (np.arange(of.target) + 0.5) * step
        first = np.maximum((center - support * wide + 0.5).astype(np.int64), 0)
        last = np.minimum((center + support * wide + 0.5).astype(np.int64), of.size)
        index = first[:, None] + np.arange(int((last - first).max(initial=1)))
        distance = np.abs(index - center[:, None] + 0.5) / wide
        weights = _triangle(distance) if mode == "bilinear_pillow" else _keys(distance, coefficient)
        return index, _normalized(weights * (index < last[:, None]))

    return Resampling(taps, as_pillow=True)


def resample(data: Array, axes: Sequence[Axis], how: Resampling) -> Array:
    """Resample axis by axis, in floats unless elements are picked."""
    if how.picks:
        for of in reversed(axes):
            data = np.take(data, how.taps(of)[0][:, 0], axis=of.axis)
        return data
    if how.as_pillow:
        for of in reversed(axes):
            if of.size != of.target:
                data = in_type(_resample(data.astype(np.float64), of.axis, *how.taps(of)), data.dtype)
        return data
    is_float = data.dtype.kind == "f"
    result = data if is_float else data.astype(np.float64 if data.dtype.itemsize > 2 else F)
    for of in axes:
        result = _resample(result, of.axis, *how.taps(of))
    return in_type(result, data.dtype)


def _triangle(distance: Array) -> Array:
    return np.asarray(np.maximum(1 - distance, 0))


def _keys(distance: Array, a: float) -> Array:
    """Return the weights of cubic convolution (Keys, 1981)."""
    near: Array = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = (((distance - 5) * distance + 8) * distance - 4) * a
    return np.where(distance >= 2, 0, np.where(distance < 1, near, far))


def _normalized(weights: Array) -> Array:
    """Divide each row by its sum, unless that is 0."""
    total = weights.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total != 0))


def _resample(data: Array, axis: int, index: Array, weights: Array) -> Array:
    """Return the sum over t of data[index[:, t]] * weights[:, t] along one axis; indices are clipped to the axis."""
    index, weights = np.clip(index, 0, data.shape[axis] - 1), weights.astype(data.dtype, copy=False)
    along = (-1, *(1 for _ in range(data.ndim - 1 - axis)))
    result = np.take(data, index[:, 0], axis=axis)
    result *= weights[:, 0].reshape(along)
    for places, factors in zip(index.T[1:], weights.T[1:], strict=True):
        if factors.any():
            part = np.take(data, places, axis=axis)
            part *= factors.reshape(along)
            result += part
    return result


def in_type(values: Array, dtype: np.dtype[Any]) -> Array:
    """Convert floats to a type; integers are rounded, ties to even, and clipped."""
    if dtype.kind == "f":
        return values.astype(dtype, copy=False)
    bounds = np.iinfo(dtype)
    return np.clip(np.rint(values), bounds.min, bounds.max).astype(dtype)


_ROUNDED: dict[str, Callable[[Array, bool], Array]] = {
    "round_prefer_floor": lambda x, _: np.floor(x) + (x - np.floor(x) > 0.5),
    "round_prefer_ceil": lambda x, _: np.floor(x) + (x - np.floor(x) >= 0.5),
    "floor": lambda x, _: np.floor(x),
    "ceil": lambda x, _: np.ceil(x),
    "simple": lambda x, shrinking: np.ceil(x) if shrinking else np.trunc(x),
}
