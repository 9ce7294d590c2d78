"""Pooling over any number of spatial axes. A window is a box, so each axis is pooled by itself, one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.threads import scratch, split
from irrun.kernels.windows import Array, extent, lowest, pad, view

_BLOCK_ELEMENTS: Final = 1 << 17
"""Elements that are pooled at a time, so that the result of one axis meets the next in the cache."""


def max_pool(
    data: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    counts: Sequence[int],
    out: Array | None = None,
) -> Array:
    """The largest element of each window of data [N, C, *S]; NaN counts as -inf, padding as the lowest value.

    The result lies in memory as the data do, channels last or not.
    """
    windows = list(zip(kernel, strides, dilations, begins, strict=True))
    combine = np.fmax if data.dtype.kind == "f" else np.maximum
    return _pool(data, combine, lowest(data.dtype), windows, counts, data.dtype, out)


def _pool(
    data: Array,
    combine: np.ufunc,
    neutral: Any,
    windows: Sequence[tuple[int, int, int, int]],
    counts: Sequence[int],
    dtype: np.dtype[Any],
    out: Array | None = None,
) -> Array:
    """Axis after axis, a few planes or rows at a time; each of the windows is kernel, stride, dilation, begin."""
    channels_last = data.shape[1] > 1 and np.moveaxis(data, 1, -1).flags.c_contiguous
    if out is None and channels_last:
        out = np.moveaxis(np.empty((data.shape[0], *counts, data.shape[1]), dtype), -1, 1)
    elif out is None:
        out = np.empty((*data.shape[:2], *counts), dtype)
    if not (data.size and out.size):
        out.fill(neutral)
        return out
    if channels_last:
        source, target = np.moveaxis(data, 1, -1), np.moveaxis(out, 1, -1)
        starts = [(image, row) for image in range(len(data)) for row in range(counts[0])]
        cost = target[0, :1].size * windows[0][0]
    else:
        source = data.reshape(-1, *data.shape[2:], 1)
        target = out.reshape(-1, *counts, 1) if out.flags.c_contiguous else np.empty((len(source), *counts, 1), dtype)
        starts = [(plane, 0) for plane in range(len(source))]
        cost = source[:1].size
    step = max(_BLOCK_ELEMENTS // cost, 1)

    def several(first: int, last: int) -> None:
        for start in range(first, last, step):
            stop = min(start + step, last)
            if not channels_last:
                _pool_block(source[start:stop], target[start:stop], combine, neutral, windows, 0)
                continue
            for image in range(starts[start][0], starts[stop - 1][0] + 1):
                low = starts[start][1] if image == starts[start][0] else 0
                high = starts[stop - 1][1] + 1 if image == starts[stop - 1][0] else counts[0]
                here = slice(image, image + 1)
                _pool_block(source[here], target[here, low:high], combine, neutral, windows, low)

    split(several, len(starts), 0.3 * data.size * sum(window[0] for window in windows))
    if not channels_last and not out.flags.c_contiguous:
        np.copyto(out, target.reshape(out.shape))
    return out


def _pool_block(
    source: Array,
    target: Array,
    combine: np.ufunc,
    neutral: Any,
    windows: Sequence[tuple[int, int, int, int]],
    first: int,
) -> None:
    """Source [A, *S, B] gives target [A, *counts, B], whose first row is number ``first`` of all."""
    for axis, (kernel, stride, dilation, begin) in enumerate(windows):
        shape = (*target.shape[: axis + 2], *source.shape[axis + 2 :])
        last = axis == len(windows) - 1
        result = target if last else scratch(f"pooled {axis % 2}", shape, target.dtype)
        before = (slice(None),) * (axis + 1)
        skipped = begin - (first * stride if axis == 0 else 0)
        whole: list[Array] = []
        partial: list[tuple[Array, Array]] = []
        for tap in range(kernel):
            offset = tap * dilation - skipped
            low = max(-(offset // stride), 0)
            high = min((source.shape[axis + 1] - 1 - offset) // stride + 1, shape[axis + 1])
            if low < high:
                taken = source[(*before, slice(low * stride + offset, (high - 1) * stride + offset + 1, stride))]
                if taken.shape == shape:
                    whole.append(taken)
                else:
                    partial.append((result[(*before, slice(low, high))], taken))
        if len(whole) > 1:
            combine(whole[0], whole[1], out=result)
        elif whole:
            np.copyto(result, whole[0])
        else:
            result.fill(neutral)
        for taken in whole[2:]:
            combine(result, taken, out=result)
        for part, taken in partial:
            combine(part, taken, out=part)
        if last and combine is np.fmax:
            combine(result, neutral, out=result)
        source = result


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
    out: Array | None = None,
) -> Array:
    """The mean of each window of data [N, C, *S], padded with zeros.

    The sum of a window is divided by the number of its elements that lie inside the data, but by ``least`` at least.
    Divided by nothing it is NaN, or 0 for integers.
    """
    windows = list(zip(kernel, strides, dilations, begins, strict=True))
    summable = _summable(data)
    total = _pool(summable, np.add, 0, windows, counts, summable.dtype, out if data.dtype == summable.dtype else None)
    sizes: Array = np.ones((), np.int64)
    for axis in reversed(range(len(kernel))):
        starts = np.arange(counts[axis]) * strides[axis] - begins[axis]
        taps = starts[:, None] + np.arange(kernel[axis]) * dilations[axis]
        inside = ((taps >= 0) & (taps < data.shape[2 + axis])).sum(axis=1)
        sizes = inside.reshape(-1, *(1 for _ in range(sizes.ndim))) * sizes
    sizes = np.maximum(sizes, least)
    if data.dtype.kind != "f":
        return _mean(total, sizes, data.dtype)
    np.divide(total, sizes.astype(data.dtype), out=total)
    return total


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
