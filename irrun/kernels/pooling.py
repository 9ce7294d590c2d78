"""Pooling over any number of spatial axes: by windows, which are boxes, and to given sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array, scratch
from irrun.kernels.windows import Geometry, lowest


class AxisWindows(NamedTuple):
    """Windows along one axis: the places [windows, taps] of their elements, and which of these are on the axis.

    A place that is not stands for the nearest one of its window.
    """

    places: Array
    inside: Array

    @property
    def counts(self) -> Array:
        """The number of elements of each window."""
        return np.asarray(self.inside.sum(axis=1))


@lru_cache(1024)
def axis_windows(geometry: Geometry) -> list[AxisWindows]:
    """Return the windows along each axis."""
    return [_on_axis(geometry.places(axis), size) for axis, size in enumerate(geometry.sizes)]


def _on_axis(places: Array, size: int) -> AxisWindows:
    inside = (places >= 0) & (places < size)
    first = np.where(inside, places, size - 1).min(axis=1, initial=size - 1, keepdims=True)
    last = np.where(inside, places, 0).max(axis=1, initial=0, keepdims=True)
    return AxisWindows(np.clip(places, first, last), inside)


def adaptive_windows(size: int, count: int) -> tuple[Array, Array]:
    """Return the first elements of windows that cover an axis evenly, and their lengths."""
    index = np.arange(count)
    starts = index * size // max(count, 1)
    return starts, -(-(index + 1) * size // max(count, 1)) - starts


def adaptive(sizes: Sequence[int], counts: Sequence[int]) -> list[AxisWindows]:
    """Return windows that cover each axis evenly."""
    windows = []
    for size, count in zip(sizes, counts, strict=True):
        starts, lengths = (part[:, None] for part in adaptive_windows(size, count))
        taps = np.arange(lengths.max(initial=1))
        windows.append(AxisWindows(starts + np.minimum(taps, lengths - 1), taps < lengths))
    return windows


def max_pool(data: Array, windows: Sequence[AxisWindows]) -> Array:
    """Return the maximum of each window of data [N, C, *S]; NaN counts as -inf, padding as the lowest value.

    The result has the memory layout of the data.
    """
    return _pool(_without_nan(data), np.maximum, lowest(data.dtype), windows)


def _pool(data: Array, combine: np.ufunc, neutral: Any, windows: Sequence[AxisWindows]) -> Array:
    """Combine the elements of each window, axis by axis; the result has the memory layout of the data."""
    if not data.size:
        return np.full(_shape(data, windows), neutral, data.dtype)
    is_last = data.shape[1] > 1 and channels_last(data).flags.c_contiguous
    x = channels_last(data) if is_last else data
    for axis, own in enumerate(windows, start=1 if is_last else 2):
        shape = (*x.shape[:axis], len(own.places), *x.shape[axis + 1 :])
        total, part = np.empty(shape, x.dtype), scratch("tap", shape, x.dtype)
        for tap, (places, inside) in enumerate(zip(own.places.T, own.inside.T, strict=True)):
            taken = np.take(x, places, axis, part if tap else total, "clip")
            if not inside.all():
                np.moveaxis(taken, axis, 0)[~inside] = neutral
            if tap:
                combine(total, taken, out=total)
        x = total
    return channels_first(x) if is_last else x


def _shape(data: Array, windows: Sequence[AxisWindows]) -> tuple[int, ...]:
    return *data.shape[:2], *(len(own.places) for own in windows)


def avg_pool(data: Array, windows: Sequence[AxisWindows], least: int = 0) -> Array:
    """Return the mean of each window of data [N, C, *S], zero-padded; for integers rounded to nearest, ties to even.

    The sum of a window is divided by the number of its elements inside the data, but at least by ``least``. Division by
    0 yields NaN, or 0 for integers.
    """
    counts = np.maximum(reduce(np.multiply.outer, [own.counts for own in windows]), least)
    if data.dtype.kind == "f":
        total = _pool(data, np.add, 0, windows)
        return np.asarray(np.divide(total, counts.astype(data.dtype), out=total))
    total = _pool(data.astype(np.int64, copy=False), np.add, 0, windows)
    counts = np.maximum(counts, 1)
    quotient = total // counts
    rest = 2 * (total - quotient * counts)
    quotient += (rest > counts) | ((rest == counts) & (quotient % 2 == 1))
    return quotient.astype(data.dtype, copy=False)


def _without_nan(data: Array) -> Array:
    """Return the data with NaN replaced by -inf."""
    if data.dtype.kind != "f" or data.size == 0 or not np.isnan(data.min()):
        return data
    return np.where(np.isnan(data), data.dtype.type(-np.inf), data)


def max_pool_indices(data: Array, windows: Sequence[AxisWindows]) -> tuple[Array, Array]:
    """Return the maximum of each window, and the index of its first occurrence among the channel's spatial elements."""
    if not data.size:
        return np.full(_shape(data, windows), lowest(data.dtype), data.dtype), np.zeros(_shape(data, windows), np.int64)
    values = _without_nan(data)
    places = np.arange(math.prod(data.shape[2:])).reshape(1, 1, *data.shape[2:])
    for axis, own in reversed(list(enumerate(windows, start=2))):
        taps = [(np.take(values, at, axis), np.take(places, at, axis)) for at in own.places.T]
        (values, places), *others = taps
        places = np.broadcast_to(places, values.shape).copy()
        for value, place in others:
            better = value > values
            np.copyto(values, value, where=better)
            np.copyto(places, place, where=better)
    is_padding = reduce(np.multiply.outer, [own.counts for own in windows]) == 0
    return np.where(is_padding, lowest(data.dtype), values).astype(data.dtype), np.where(is_padding, 0, places)


def offset_indices(places: Array, sizes: Sequence[int], axis: int) -> Array:
    """Convert indices within a channel to indices into the tensor, flattened from ``axis`` on."""
    channel = math.prod(sizes[2:])
    if axis >= 2:
        return places % math.prod(sizes[axis:]) if axis > 2 else places
    spread = (1,) * (len(sizes) - 2)
    result: Array = places + (np.arange(sizes[1]) * channel).reshape(1, -1, *spread)
    if axis == 0:
        result += (np.arange(sizes[0]) * (sizes[1] * channel)).reshape(-1, 1, *spread)
    return result
