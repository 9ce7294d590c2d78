"""Pooling over any number of spatial axes: by windows, which are boxes, and to given sizes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any, Final

import numpy as np

from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array, scratch
from irrun.kernels.windows import Geometry, lowest, pad, view

_BLOCK_ELEMENTS: Final = 1 << 17
"""Elements pooled at a time, so that the result of one axis is in the cache for the next."""


def max_pool(data: Array, geometry: Geometry) -> Array:
    """Return the maximum of each window of data [N, C, *S]; NaN counts as -inf, padding as the lowest value.

    The result has the memory layout of the data.
    """
    combine = np.fmax if data.dtype.kind == "f" else np.maximum
    return _pool(data, combine, lowest(data.dtype), geometry)


def _pool(data: Array, combine: np.ufunc, neutral: Any, geometry: Geometry, divisor: Array | None = None) -> Array:
    """Pool axis by axis, a few planes or rows at a time; ``divisor`` [*counts, 1] divides the results.

    The result has the memory layout of the data, channels last or not.
    """
    is_last = data.shape[1] > 1 and channels_last(data).flags.c_contiguous
    batch, channels = data.shape[:2]
    shape = (batch, *geometry.counts, channels) if is_last else (batch, channels, *geometry.counts)
    out = np.empty(shape, data.dtype)
    out = result = channels_first(out) if is_last else out
    if not (data.size and out.size):
        out.fill(neutral)
        return out
    if is_last:
        source, target = channels_last(data), channels_last(out)
        cost = target[0, :1].size * geometry.kernel[0]
    else:
        data, out = data.reshape(1, -1, *data.shape[2:]), out.reshape(1, -1, *out.shape[2:])
        source, target = data[..., np.newaxis], out[..., np.newaxis]
        cost = source[0, :1].size
    images, parts = target.shape[:2]
    step = max(_BLOCK_ELEMENTS // cost, 1)

    for image in range(images):
        for start in range(0, parts, step):
            stop = min(start + step, parts)
            block, taken = target[image, start:stop], source[image] if is_last else source[image, start:stop]
            if is_last:
                block, taken = block[np.newaxis], taken[np.newaxis]
            _pool_block(taken, block, combine, neutral, geometry, start if is_last else 0, divisor)
    return result


def _pool_block(
    source: Array,
    target: Array,
    combine: np.ufunc,
    neutral: Any,
    geometry: Geometry,
    first: int,
    divisor: Array | None,
) -> None:
    """Pool source [A, *S, B] into target [A, *counts, B], whose first row is row ``first`` of the whole result."""
    rows = target.shape[1]
    for axis, (kernel, stride, dilation, begin) in enumerate(zip(*geometry[:4], strict=True)):
        shape = (*target.shape[: axis + 2], *source.shape[axis + 2 :])
        last = axis == len(geometry.kernel) - 1
        result = target if last else scratch(f"pooled {axis % 2}", shape, target.dtype)
        before = (slice(None),) * (axis + 1)
        skipped = begin - (first * stride if axis == 0 else 0)
        for part, taps in _segments(source.shape[axis + 1], shape[axis + 1], kernel, stride, dilation, skipped):
            here = result[(*before, part)]
            if len(taps) < 2:
                np.copyto(here, source[(*before, taps[0])] if taps else neutral)
                continue
            combine(source[(*before, taps[0])], source[(*before, taps[1])], out=here)
            for tap in taps[2:]:
                combine(here, source[(*before, tap)], out=here)
        source = result
    if combine is np.fmax and np.isnan(np.maximum.reduce(target, axis=None)):
        combine(target, neutral, out=target)
    if divisor is not None:
        np.divide(target, divisor if divisor.shape[0] == 1 else divisor[first : first + rows], out=target)


@lru_cache(1024)
def _segments(
    size: int, count: int, kernel: int, stride: int, dilation: int, begin: int
) -> tuple[tuple[slice, tuple[slice, ...]], ...]:
    """Return runs of windows along one axis with the same valid taps, each with the slices of these taps."""
    bounds = []
    for tap in range(kernel):
        offset = tap * dilation - begin
        low, high = max(-(offset // stride), 0), min((size - 1 - offset) // stride + 1, count)
        if low < high:
            bounds.append((low, high, offset))
    edges = sorted({0, count, *(low for low, _, _ in bounds), *(high for _, high, _ in bounds)})
    return tuple(
        (
            slice(start, stop),
            tuple(
                slice(start * stride + offset, (stop - 1) * stride + offset + 1, stride)
                for low, high, offset in bounds
                if low <= start and stop <= high
            ),
        )
        for start, stop in itertools.pairwise(edges)
    )


def avg_pool(data: Array, geometry: Geometry, least: int) -> Array:
    """Return the mean of each window of data [N, C, *S], zero-padded.

    The sum of a window is divided by the number of its elements inside the data, but at least by ``least``. Division by
    0 yields NaN, or 0 for integers.
    """
    sizes = _window_sizes(geometry, least)
    if data.dtype.kind == "f":
        return _pool(data, np.add, 0, geometry, sizes[..., np.newaxis].astype(data.dtype))
    wide = summable(data)
    return mean(_pool(wide, np.add, 0, geometry), sizes, data.dtype)


@lru_cache(64)
def _window_sizes(geometry: Geometry, least: int) -> Array:
    """Return the number of elements of each window inside the data, at least ``least``; [1, ...] if all are equal."""
    places = [geometry.places(axis) for axis in range(len(geometry.sizes))]
    counts = [((at >= 0) & (at < size)).sum(axis=1) for at, size in zip(places, geometry.sizes, strict=True)]
    inside: Array = reduce(np.multiply.outer, counts)
    inside = np.maximum(inside, least)
    return inside[(slice(1),) * inside.ndim] if inside.size and (inside == inside.flat[0]).all() else inside


def without_nan(data: Array) -> Array:
    """Return the data with NaN replaced by -inf."""
    if data.dtype.kind != "f" or data.size == 0 or not np.isnan(data.min()):
        return data
    return np.where(np.isnan(data), data.dtype.type(-np.inf), data)


def summable(data: Array) -> Array:
    """Return integers in a type that can hold their sum; floats unchanged."""
    return data if data.dtype.kind == "f" else data.astype(np.int64, copy=False)


def mean(total: Array, count: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return the quotient; for integers rounded to nearest, ties to even."""
    if dtype.kind == "f":
        return (total / count).astype(dtype, copy=False)
    count = np.maximum(count, 1)
    quotient = total // count
    rest = 2 * (total - quotient * count)
    quotient += (rest > count) | ((rest == count) & (quotient % 2 == 1))
    return quotient.astype(dtype, copy=False)


def max_pool_indices(data: Array, geometry: Geometry) -> tuple[Array, Array]:
    """Return the maximum of each window, and the index of its first occurrence among the channel's spatial elements."""
    data = without_nan(data)
    values = max_pool(data, geometry)
    sizes = data.shape[2:]
    axes = range(len(sizes))
    steps = [math.prod(sizes[axis + 1 :]) for axis in axes]
    on_axes = [geometry.places(axis) for axis in axes]
    padded = pad(data, geometry.begins, [max(end, 0) for end in geometry.ends], lowest(data.dtype))
    places = np.zeros(values.shape, np.int64)
    for taps in reversed(list(np.ndindex(*geometry.kernel))):
        offsets = [tap * dilation for tap, dilation in zip(taps, geometry.dilations, strict=True)]
        at = [on_axes[axis][:, taps[axis]] for axis in axes]
        met = view(padded, offsets, geometry.strides, geometry.counts) == values
        if padded is not data:
            met &= reduce(np.logical_and.outer, [(a >= 0) & (a < size) for a, size in zip(at, sizes, strict=True)])
        np.copyto(places, reduce(np.add.outer, [a * step for a, step in zip(at, steps, strict=True)]), where=met)
    return values, places


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


def adaptive_avg_pool(data: Array, sizes: Sequence[int]) -> Array:
    """Return the means of data [N, C, *S] over ``sizes`` windows along each axis, which cover the axis evenly."""
    spatial = data.shape[2:]
    total = summable(data)
    if all(out > 0 and size % out == 0 for size, out in zip(spatial, sizes, strict=True)):
        blocks = [part for size, out in zip(spatial, sizes, strict=True) for part in (out, size // out)]
        inner = tuple(range(3, 2 + 2 * len(sizes), 2))
        total = total.reshape(*data.shape[:2], *blocks).sum(axis=inner, dtype=total.dtype)
        counts = np.asarray(math.prod(blocks[1::2]))
        return mean(total, counts, data.dtype)
    counts = np.ones((), np.int64)
    for axis in reversed(range(len(sizes))):
        starts, lengths = adaptive_windows(spatial[axis], sizes[axis])
        along = (-1, *(1 for _ in range(len(sizes) - 1 - axis)))
        parts = _adaptive_taps(total, axis, starts, lengths)
        total = parts[0]
        for tap, part in enumerate(parts[1:], start=1):
            total = total + np.where((tap < lengths).reshape(along), part, 0)
        counts = lengths.reshape(along) * counts
    return mean(total, counts, data.dtype)


def adaptive_max_pool(data: Array, sizes: Sequence[int]) -> tuple[Array, Array]:
    """Return the maximum of each window, and the index of its first occurrence among the channel's spatial elements."""
    values = without_nan(data)
    places = np.arange(math.prod(data.shape[2:])).reshape(1, 1, *data.shape[2:])
    for axis in reversed(range(len(sizes))):
        starts, lengths = adaptive_windows(data.shape[2 + axis], sizes[axis])
        taps = (_adaptive_taps(of, axis, starts, lengths) for of in (values, places))
        (values, places), *others = zip(*taps, strict=True)
        places = np.broadcast_to(places, values.shape).copy()
        for value, place in others:
            better = value > values
            np.copyto(values, value, where=better)
            np.copyto(places, place, where=better)
    return values, np.broadcast_to(places, values.shape)


def adaptive_windows(size: int, count: int) -> tuple[Array, Array]:
    """Return the first elements of windows that cover an axis evenly, and their lengths."""
    index = np.arange(count)
    starts = index * size // max(count, 1)
    return starts, -(-(index + 1) * size // max(count, 1)) - starts


def _adaptive_taps(data: Array, axis: int, starts: Array, lengths: Array) -> list[Array]:
    """Return the elements of all windows along one axis, tap by tap; shorter windows repeat their last element."""
    return [
        np.take(data, starts + np.minimum(tap, lengths - 1), axis=2 + axis)
        for tap in range(int(lengths.max(initial=1)))
    ]
