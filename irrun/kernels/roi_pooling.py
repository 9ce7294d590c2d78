"""Pooling of regions of feature maps by bin: by maximum, by bilinear samples, and position-sensitive.

Regions are rows ``[batch, x1, y1, x2, y2]``. A negative batch ends the list; results after it are 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from irrun.kernels.casting import nearest
from irrun.kernels.roi import between, bilinear, neighbours
from irrun.kernels.threads import Array

Pooled = tuple[int, int]

_ROUNDING = 1e-6


def listed(rois: Array) -> Array:
    """Return the regions before the first one with a negative batch."""
    ends = np.flatnonzero(rois[:, 0] < 0)
    return rois[: ends[0]] if ends.size else rois


def max_pool(features: Array, rois: Array, pooled: Pooled, scale: float) -> Array:
    """Return the maximum of each bin of regions in image coordinates, rounded to pixels; 0 for an empty bin."""
    height, width = features.shape[2:]
    result = np.zeros((len(rois), features.shape[1], *pooled), features.dtype)
    kind = rois.dtype.type
    for index, roi in enumerate(listed(rois)):
        x1, y1, x2, y2 = nearest(roi[1:] * kind(scale)).astype(np.int64).tolist()
        high, wide = kind(max(y2 - y1 + 1, 1)), kind(max(x2 - x1 + 1, 1))
        rows = _bins(kind(0), high / kind(pooled[0]), pooled[0], height, y1)
        columns = _bins(kind(0), wide / kind(pooled[1]), pooled[1], width, x1)
        feature = features[int(roi[0])]
        for row, column, pixels in _filled(rows, columns):
            result[index, :, row, column] = feature[:, *pixels].max(axis=(1, 2))
    return result


def _bins(start: Any, each: Any, bins: int, limit: int, first: int = 0) -> list[slice]:
    """Return the bins along an axis from ``first + start`` on, clipped to the feature map."""
    edges = start + np.arange(bins + 1).astype(each.dtype) * each
    begins, ends = (np.clip(whole + first, 0, limit).astype(np.int64) for whole in (np.floor(edges), np.ceil(edges)))
    return list(map(slice, begins[:-1].tolist(), ends[1:].tolist()))


def _filled(rows: list[slice], columns: list[slice]) -> Iterator[tuple[int, int, tuple[slice, slice]]]:
    """Yield the row and column of each bin that is not empty, and its pixels."""
    for (row, down), (column, across) in product(enumerate(rows), enumerate(columns)):
        if down.start < down.stop and across.start < across.stop:
            yield row, column, (down, across)


def bilinear_pool(features: Array, rois: Array, pooled: Pooled) -> Array:
    """Sample each bin of regions once, in coordinates from 0 to 1 including the corners; 0 outside the map."""
    height, width = features.shape[2:]
    result = np.zeros((len(rois), features.shape[1], *pooled), features.dtype)
    kind = rois.dtype.type
    for index, roi in enumerate(listed(rois)):
        y = _spread(roi[2], roi[4], pooled[0], height - 1, kind)
        x = _spread(roi[1], roi[3], pooled[1], width - 1, kind)
        result[index] = _grid(features[int(roi[0])], y, x, (y >= 0) & (y <= height - 1), (x >= 0) & (x <= width - 1))
    return result


def _spread(start: Any, end: Any, count: int, last: int, kind: Any) -> Array:
    """Return ``count`` coordinates from start to end, both included, or the one in the middle."""
    if count == 1:
        return np.array([(start + end) * kind(last) / 2], kind)
    step = (end - start) * kind(last) / kind(count - 1)
    points: Array = np.arange(count).astype(kind) * step + start * kind(last)
    points[-1] = end * kind(last)
    return points


def _grid(feature: Array, y: Array, x: Array, y_valid: Array, x_valid: Array) -> Array:
    """Sample ``feature [C, H, W]`` at every y and x; 0 where either is not valid."""
    rows, columns = np.meshgrid(y, x, indexing="ij")
    values = bilinear(feature, rows.reshape(-1), columns.reshape(-1)).reshape(len(feature), len(y), len(x))
    return np.where(y_valid[:, None] & x_valid, values, 0)


def average_by_position(features: Array, rois: Array, channels: int, group: int, scale: float) -> Array:
    """Return the mean of each of ``group x group`` bins, with a separate input channel for each bin and output channel.

    A region has sides of at least 0.1; bins outside the map are 0.
    """
    height, width = features.shape[2:]
    result = np.zeros((len(rois), channels, group, group), features.dtype)
    kind = np.float32
    for index, roi in enumerate(listed(rois)):
        start_x, start_y = nearest(roi[1:3]).astype(kind) * kind(scale)
        end_x, end_y = (nearest(roi[3:]).astype(kind) + kind(1)) * kind(scale)
        rows = _bins(start_y, max(end_y - start_y, kind(0.1)) / kind(group), group, height)
        columns = _bins(start_x, max(end_x - start_x, kind(0.1)) / kind(group), group, width)
        feature = features[int(roi[0])][: channels * group * group].reshape(channels, group, group, height, width)
        for row, column, pixels in _filled(rows, columns):
            result[index, :, row, column] = feature[:, row, column, *pixels].mean(axis=(1, 2))
    return result


def bilinear_by_position(features: Array, rois: Array, channels: int, group: int, scale: float, bins: Pooled) -> Array:
    """Return the mean of one sample from each of ``bins`` (rows, columns), with separate input channels for each.

    Regions are in coordinates from 0 to 1; the samples of a bin are spread over ``group x group`` outputs.
    """
    height, width = features.shape[2:]
    result = np.zeros((len(rois), channels, group, group), features.dtype)
    for index, roi in enumerate(listed(rois)):
        x1, y1, x2, y2 = (float(corner) * scale for corner in roi[1:])
        bin_height, bin_width = (y2 - y1) / bins[0], (x2 - x1) / bins[1]
        feature = features[int(roi[0])].reshape(features.shape[1] // channels, channels, height, width)
        for position, (row, column) in enumerate(np.ndindex(bins)):
            y, y_valid = _spread_bin(y1 + row * bin_height, bin_height, group, height - 1)
            x, x_valid = _spread_bin(x1 + column * bin_width, bin_width, group, width - 1)
            result[index] += _grid(feature[position], y, x, y_valid, x_valid)
    return np.asarray(result / features.dtype.type(bins[0] * bins[1]))


def _spread_bin(start: float, size: float, count: int, last: int) -> tuple[Array, Array]:
    """Return ``count`` coordinates over a bin, its borders included, and a mask of those in the map up to rounding."""
    share = np.array([0.5]) if count == 1 else np.arange(count) / (count - 1)
    points = (start + share * size) * last
    return points, (points >= -_ROUNDING) & (points <= last + _ROUNDING)


def deformable(
    features: Array, rois: Array, offsets: Array | None, channels: int, group: int, scale: float, bins: Pooled
) -> Array:
    """Pool position-sensitively, with bins moved by ``offsets [n, 2 * classes, parts, parts]`` in sizes of the region.

    Each of ``group x group`` bins is the mean of its ``bins`` (rows, columns) samples inside the map; 0 without any.
    """
    height, width = features.shape[2:]
    result = np.zeros((len(rois), channels, group, group), features.dtype)
    if not features.size:
        return result
    for index, roi in enumerate(listed(rois)):
        y, x = _deformed(roi, None if offsets is None else offsets[index], channels, group, scale, bins)
        inside = (x >= -0.5) & (x <= width - 0.5) & (y >= -0.5) & (y <= height - 0.5)
        maps = features[int(roi[0])][: channels * group * group].reshape(channels, group, group, height, width)
        values = _sample_by_position(maps, np.where(inside, y, 0), np.where(inside, x, 0))
        count = inside.sum(axis=(3, 4))
        result[index] = np.where(inside, values, 0).sum(axis=(3, 4)) / np.maximum(count, 1)
    return result


def _deformed(
    roi: Array, offsets: Array | None, channels: int, group: int, scale: float, bins: Pooled
) -> tuple[Array, Array]:
    """Return the y and x of the samples of one region: ``[channels, group, group, *bins]``."""
    kind = np.float32
    corners = nearest(roi[1:]).astype(kind) + np.array([0, 0, 1, 1], kind)
    x1, y1, x2, y2 = corners * kind(scale) - kind(0.5)
    width, height = max(x2 - x1, kind(0.1)), max(y2 - y1, kind(0.1))
    bin_width, bin_height = width / kind(group), height / kind(group)
    order = np.arange(group)
    left = np.broadcast_to(x1 + order.astype(kind) * bin_width, (channels, group, group))
    top = np.broadcast_to((y1 + order.astype(kind) * bin_height)[:, None], (channels, group, group))
    if offsets is not None:
        part = order * offsets.shape[-1] // group
        per_class = offsets.reshape(len(offsets) // 2, 2, *offsets.shape[1:])
        label = np.arange(channels) // max(channels // len(per_class), 1)
        of_channel = per_class[np.minimum(label, len(per_class) - 1)][:, :, part[:, None], part]
        left, top = left + of_channel[:, 0] * width, top + of_channel[:, 1] * height
    x = left[..., None, None] + np.arange(bins[1]).astype(kind) * (bin_width / kind(bins[1]))
    y = top[..., None, None] + (np.arange(bins[0]).astype(kind) * (bin_height / kind(bins[0])))[:, None]
    y, x = np.broadcast_arrays(y, x)
    return y, x


def _sample_by_position(maps: Array, y: Array, x: Array) -> Array:
    """Interpolate ``maps [C, G, G, H, W]`` at points ``[C, G, G, ...]``."""
    channel, row, column = (place[..., None, None] for place in np.ix_(*map(np.arange, maps.shape[:3])))
    height, width = maps.shape[3:]
    return between(lambda i, j: maps[channel, row, column, i, j], neighbours(y, height), neighbours(x, width))
