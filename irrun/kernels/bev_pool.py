"""Bird's-eye-view pooling (BEVPoolV2)."""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.threads import Array

_BLOCK = 1 << 18
"""Terms of a sum that are computed at a time."""


def bev_pool(
    features: Array,
    weights: Array,
    index: Array,
    intervals: Array,
    depth_bins: int,
    area: int,
    shape: tuple[int, int, int, int],
) -> Array:
    """For each interval [start, end, cell], store the sum over index[start:end] of weight times feature in the cell.

    An index k refers to weights[k], and to pixel k mod area of camera k // (depth_bins * area) of features [N, H, W,
    C]. ``shape`` is the shape of the result, [N, channels, H, W]; a cell is the offset of its first element.
    """
    channels, plane = shape[1], shape[2] * shape[3]
    flat = features.reshape(-1, features.shape[-1])
    start, end, cell = intervals.astype(np.int64).T
    usable = (start >= 0) & (end >= start)
    start, end, cell = start[usable], np.minimum(end[usable], index.size), cell[usable]
    sums = np.zeros((cell.size, channels), np.float64)
    step = max(_BLOCK // max(channels, 1), 1)
    for total, first, last in zip(sums, start.tolist(), end.tolist(), strict=True):
        for begin in range(first, last, step):
            k = index[begin : min(begin + step, last)].astype(np.int64)
            row = k // max(depth_bins * area, 1) * area + k % area
            known = (k >= 0) & (k < weights.size) & (row >= 0) & (row < len(flat))
            terms = flat[row[known], :channels] * weights[k[known], None]
            total[: terms.shape[1]] += terms.sum(axis=0, dtype=np.float64)
    places = cell[:, None] + np.arange(channels) * plane
    inside = (places >= 0) & (places < math.prod(shape))
    result = np.zeros(math.prod(shape), features.dtype)
    result[places[inside]] = sums[inside]
    return result.reshape(shape)
