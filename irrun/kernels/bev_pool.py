"""Bird's-eye-view pooling (BEVPoolV2)."""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.windows import Array


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
    k = index.astype(np.int64)
    camera, pixel = k // max(depth_bins * area, 1), k % area
    row = camera * area + pixel
    known = (k >= 0) & (k < weights.size) & (row >= 0) & (row < len(flat))
    terms = np.zeros((index.size, channels), np.float64)
    products = flat[row[known], :channels] * weights[k[known], None]
    terms[known, : products.shape[1]] = products
    start, end, cell = intervals.astype(np.int64).T
    usable = (start >= 0) & (end >= start)
    start, cell = np.minimum(start[usable], index.size), cell[usable]
    lengths = np.minimum(end[usable], index.size) - start
    owner = np.repeat(np.arange(cell.size), lengths)
    within = np.arange(owner.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    sums = np.zeros((cell.size, channels), np.float64)
    np.add.at(sums, owner, terms[start[owner] + within])
    places = cell[:, None] + np.arange(channels) * plane
    inside = (places >= 0) & (places < math.prod(shape))
    result = np.zeros(math.prod(shape), features.dtype)
    result[places[inside]] = sums[inside]
    return result.reshape(shape)
