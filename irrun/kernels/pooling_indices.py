"""Max pooling that also returns where each maximum is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np

from irrun.kernels.pooling import max_pool, without_nan
from irrun.kernels.threads import Array
from irrun.kernels.windows import Geometry, lowest, pad, view


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
