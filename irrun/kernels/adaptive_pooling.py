"""Pooling to a given number of windows that cover the data evenly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.pooling import mean, summable, without_nan
from irrun.kernels.threads import Array


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
