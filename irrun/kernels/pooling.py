"""Pooling over any number of spatial axes. A window is a box, so each axis is pooled by itself, the last one first."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.windows import Array, extent, lowest, pad, view


def max_pool(
    data: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    counts: Sequence[int],
) -> Array:
    """The largest element of each window of data [N, C, *S]; NaN counts as -inf, padding as the lowest value."""
    result = _without_nan(data)
    for axis in reversed(range(len(kernel))):
        where = (axis, kernel[axis], strides[axis], dilations[axis], begins[axis], counts[axis])
        first, *others = _taps(result, lowest(data.dtype), *where)
        result = first.copy() if others else first
        for other in others:
            np.maximum(result, other, out=result)
    return result


def max_pool_indices(
    data: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    counts: Sequence[int],
) -> tuple[Array, Array]:
    """The largest element of each window, and where the first one lies among the spatial elements of its channel."""
    data = _without_nan(data)
    values = max_pool(data, kernel, strides, dilations, begins, counts)
    sizes = data.shape[2:]
    steps = [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]
    starts = [np.arange(c) * s - b for c, s, b in zip(counts, strides, begins, strict=True)]
    ends = [
        max((c - 1) * s + extent(k, d) - b - size, 0)
        for c, s, k, d, b, size in zip(counts, strides, kernel, dilations, begins, sizes, strict=True)
    ]
    padded = pad(data, begins, ends, lowest(data.dtype))
    first = _outer_sum([start * step for start, step in zip(starts, steps, strict=True)])
    places = np.zeros(values.shape, np.int64)
    for taps in reversed(list(np.ndindex(*kernel))):
        offsets = [tap * dilation for tap, dilation in zip(taps, dilations, strict=True)]
        met = view(padded, offsets, strides, counts) == values
        if padded is not data:
            met &= _outer_all(
                [(start + o >= 0) & (start + o < size) for start, o, size in zip(starts, offsets, sizes, strict=True)]
            )
        here = first + sum(o * step for o, step in zip(offsets, steps, strict=True))
        np.copyto(places, here, where=met)
    return values, places


def offset_indices(places: Array, sizes: Sequence[int], axis: int) -> Array:
    """Places within a channel of a tensor of these sizes as indices into that tensor, flattened from ``axis`` on."""
    channel = math.prod(sizes[2:])
    if axis >= 2:
        return places % math.prod(sizes[axis:]) if axis > 2 else places
    spread = (1,) * (len(sizes) - 2)
    result: Array = places + (np.arange(sizes[1]) * channel).reshape(1, -1, *spread)
    if axis == 0:
        result += (np.arange(sizes[0]) * (sizes[1] * channel)).reshape(-1, 1, *spread)
    return result


def avg_pool(
    data: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    counts: Sequence[int],
    least: int,
) -> Array:
    """The mean of each window of data [N, C, *S], padded with zeros.

    The sum of a window is divided by the number of its elements that lie inside the data, but by ``least`` at least.
    Divided by nothing it is NaN, or 0 for integers.
    """
    total = _summable(data)
    sizes: Array = np.ones((), np.int64)
    for axis in reversed(range(len(kernel))):
        where = (axis, kernel[axis], strides[axis], dilations[axis], begins[axis], counts[axis])
        first, *others = _taps(total, 0, *where)
        total = first.copy() if others else first
        for other in others:
            total += other
        starts = np.arange(counts[axis]) * strides[axis] - begins[axis]
        taps = starts[:, None] + np.arange(kernel[axis]) * dilations[axis]
        inside = ((taps >= 0) & (taps < data.shape[2 + axis])).sum(axis=1)
        sizes = inside.reshape(-1, *(1 for _ in range(sizes.ndim))) * sizes
    return _mean(total, np.maximum(sizes, least), data.dtype)


def adaptive_avg_pool(data: Array, sizes: Sequence[int]) -> Array:
    """The mean of data [N, C, *S] over as many windows along each axis as ``sizes`` says, which cover it evenly."""
    spatial = data.shape[2:]
    total = _summable(data)
    if all(out > 0 and size % out == 0 for size, out in zip(spatial, sizes, strict=True)):
        blocks = [part for size, out in zip(spatial, sizes, strict=True) for part in (out, size // out)]
        inner = tuple(range(3, 2 + 2 * len(sizes), 2))
        total = total.reshape(*data.shape[:2], *blocks).sum(axis=inner, dtype=total.dtype)
        counts = np.asarray(math.prod(blocks[1::2]))
        return _mean(total, counts, data.dtype)
    counts = np.ones((), np.int64)
    for axis in reversed(range(len(sizes))):
        starts, lengths = _adaptive_windows(spatial[axis], sizes[axis])
        along = (-1, *(1 for _ in range(len(sizes) - 1 - axis)))
        parts = _adaptive_taps(total, axis, starts, lengths)
        total = parts[0]
        for tap, part in enumerate(parts[1:], start=1):
            total = total + np.where((tap < lengths).reshape(along), part, 0)
        counts = lengths.reshape(along) * counts
    return _mean(total, counts, data.dtype)


def adaptive_max_pool(data: Array, sizes: Sequence[int]) -> tuple[Array, Array]:
    """The largest element of each window, and where the first one lies among the spatial elements of its channel."""
    values = _without_nan(data)
    places = np.arange(math.prod(data.shape[2:])).reshape(1, 1, *data.shape[2:])
    for axis in reversed(range(len(sizes))):
        starts, lengths = _adaptive_windows(data.shape[2 + axis], sizes[axis])
        pairs = zip(
            _adaptive_taps(values, axis, starts, lengths), _adaptive_taps(places, axis, starts, lengths), strict=True
        )
        values, places = _first_largest(pairs)
    return values, np.broadcast_to(places, values.shape)


def _taps(
    data: Array, padding: object, axis: int, kernel: int, stride: int, dilation: int, begin: int, count: int
) -> list[Array]:
    """For each element of the kernel along one spatial axis, what it meets in all windows."""
    spatial = data.ndim - 2
    end = max((count - 1) * stride + extent(kernel, dilation) - begin - data.shape[2 + axis], 0)
    begins, ends = [0] * spatial, [0] * spatial
    begins[axis], ends[axis] = begin, end
    padded = pad(data, begins, ends, padding)
    before = (slice(None),) * (2 + axis)
    return [
        padded[(*before, slice(tap * dilation, tap * dilation + stride * (count - 1) + 1, stride))]
        for tap in range(kernel)
    ]


def _outer_sum(parts: Sequence[Array]) -> Array:
    """The sums of one element of each part, an axis for each."""
    total: Array = np.zeros((), np.int64)
    for part in parts:
        total = total[..., np.newaxis] + part
    return total


def _outer_all(parts: Sequence[Array]) -> Array:
    """Whether one element of each part is true altogether, an axis for each part."""
    every: Array = np.ones((), np.bool_)
    for part in parts:
        every = every[..., np.newaxis] & part
    return every


def _first_largest(pairs: object) -> tuple[Array, Array]:
    """Element-wise the largest of the values and its place; the first of equals. A place of -1 is no place."""
    best: Array | None = None
    where: Array | None = None
    for value, place in pairs:  # type: ignore[attr-defined]
        if best is None or where is None:
            best, where = value.copy(), np.broadcast_to(place, value.shape).copy()
            continue
        better = (value > best) | (where < 0)
        np.copyto(best, value, where=better)
        np.copyto(where, place, where=better)
    if best is None or where is None:
        raise ValueError("a window has no elements")
    return best, where


def _adaptive_windows(size: int, count: int) -> tuple[Array, Array]:
    index = np.arange(count)
    starts = index * size // max(count, 1)
    return starts, -(-(index + 1) * size // max(count, 1)) - starts


def _adaptive_taps(data: Array, axis: int, starts: Array, lengths: Array) -> list[Array]:
    """The elements of all windows along one axis, one after the other; shorter windows repeat their last."""
    return [
        np.take(data, starts + np.minimum(tap, lengths - 1), axis=2 + axis)
        for tap in range(int(lengths.max(initial=1)))
    ]


def _without_nan(data: Array) -> Array:
    """The data with NaN replaced by -inf."""
    if data.dtype.kind != "f" or data.size == 0 or not np.isnan(data.min()):
        return data
    return np.where(np.isnan(data), data.dtype.type(-np.inf), data)


def _summable(data: Array) -> Array:
    return data if data.dtype.kind == "f" else data.astype(np.int64, copy=False)


def _mean(total: Array, count: Array, dtype: np.dtype[np.generic]) -> Array:
    """The quotient; of integers rounded to the nearest, half to even."""
    if dtype.kind == "f":
        return (total / count).astype(dtype, copy=False)
    count = np.maximum(count, 1)
    quotient = total // count
    rest = 2 * (total - quotient * count)
    quotient += (rest > count) | ((rest == count) & (quotient % 2 == 1))
    return quotient.astype(dtype, copy=False)
