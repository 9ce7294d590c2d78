"""Bilinear pooling of regions of feature maps: ROIAlign, its rotated form, and feature pyramids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from irrun.kernels.threads import Array

Alignment = Literal["asymmetric", "half_pixel_for_nn", "half_pixel"]
Neighbours = tuple[Array, Array, Array]
"""Elements before and after places on an axis, and the distances from those before."""


class SamplingArea(NamedTuple):
    """The sampling area of one region: a corner, a size, and a rotation around a point of the feature map."""

    x: float
    y: float
    width: float
    height: float
    center_x: float = 0.0
    center_y: float = 0.0
    angle: float = 0.0


def bilinear(feature: Array, y: Array, x: Array) -> Array:
    """Interpolate ``feature [C, H, W]`` at points ``[S]``: ``[C, S]``.

    Points up to one pixel outside have the value of the border, those further out 0.
    """
    height, width = feature.shape[1:]
    if height * width == 0:
        return np.zeros((len(feature), len(y)), feature.dtype)
    outside = (y < -1) | (y > height) | (x < -1) | (x > width) | np.isnan(y) | np.isnan(x)
    y_near, x_near = neighbours(np.where(outside, 0, y), height), neighbours(np.where(outside, 0, x), width)
    flat = feature.reshape(len(feature), height * width)
    return np.where(outside, 0, between(lambda row, column: flat[:, row * width + column], y_near, x_near))


def between(pick: Callable[[Array, Array], Array], y: Neighbours, x: Neighbours) -> Array:
    """Interpolate between four elements; ``pick`` returns those at rows and columns."""
    (top, bottom, y_part), (left, right, x_part) = y, x
    upper = pick(top, left) * (1 - x_part) + pick(top, right) * x_part
    lower = pick(bottom, left) * (1 - x_part) + pick(bottom, right) * x_part
    return np.asarray(upper * (1 - y_part) + lower * y_part)


def neighbours(at: Array, size: int) -> Neighbours:
    """Return the pixels before and after each coordinate, and its distance from the one before."""
    clipped = np.clip(at, 0, size - 1)
    low = clipped.astype(np.int64)
    return low, np.ceil(clipped).astype(np.int64), (clipped - low).astype(at.dtype)


def align(
    feature: Array, region: SamplingArea, pooled: tuple[int, int], ratio: int, mode: Literal["avg", "max"], kind: Any
) -> Array:
    """Pool one region of ``feature [C, H, W]`` to ``[C, *pooled]``.

    Each bin is sampled ``ratio`` times along each axis, or about once per pixel where that is 0. The maximum is at
    least 0. ``kind`` is the dtype to compute in.
    """
    rows, columns = pooled
    bin_height, bin_width = kind(region.height) / kind(rows), kind(region.width) / kind(columns)
    per_row = ratio if ratio > 0 else max(int(np.ceil(bin_height)), 0)
    per_column = ratio if ratio > 0 else max(int(np.ceil(bin_width)), 0)
    if per_row * per_column == 0:
        return np.zeros((len(feature), rows, columns), feature.dtype)
    y, x = np.meshgrid(
        _samples(kind(region.y), bin_height, rows, per_row, kind),
        _samples(kind(region.x), bin_width, columns, per_column, kind),
        indexing="ij",
    )
    if region.angle or region.center_x or region.center_y:
        cos, sin = kind(np.cos(region.angle)), kind(np.sin(region.angle))
        center_y, center_x = kind(region.center_y), kind(region.center_x)
        y, x = y * cos - x * sin + center_y, y * sin + x * cos + center_x
    values = bilinear(feature, y.reshape(-1), x.reshape(-1))
    bins = values.reshape(len(feature), rows, per_row, columns, per_column)
    if mode == "max":
        return np.asarray(bins.max(axis=(2, 4), initial=0))
    return np.asarray(bins.mean(axis=(2, 4)))


def _samples(start: Any, size: Any, bins: int, per_bin: int, kind: Any) -> Array:
    """Return the coordinates of the samples along one axis: ``per_bin`` in each bin, evenly spaced."""
    step = size / kind(per_bin)
    within = (np.arange(per_bin) + 0.5).astype(kind) * step
    samples: Array = start + np.arange(bins).astype(kind)[:, None] * size + within
    return samples.reshape(-1)


def regions_of(rois: Array, scale: float, alignment: Alignment) -> list[SamplingArea]:
    """Return the regions of boxes ``[n, 4]`` of two corners in a feature map ``scale`` times the size of the image."""
    before = 0.5 if alignment == "half_pixel" else 0.0
    after = 0.0 if alignment == "asymmetric" else 0.5
    kind = rois.dtype.type
    corners = (rois + kind(before)) * kind(scale) - kind(after)
    size = corners[:, 2:] - corners[:, :2]
    if alignment == "asymmetric":
        size = np.maximum(size, 1)
    return [SamplingArea(*row) for row in np.concatenate([corners[:, :2], size], axis=1).tolist()]


def rotated_regions_of(rois: Array, scale: float, clockwise: bool) -> list[SamplingArea]:
    """Return the regions of rotated boxes ``[n, 5]`` in a feature map ``scale`` times the size of the image."""
    kind = rois.dtype.type
    center, size = rois[:, :2] * kind(scale) - kind(0.5), rois[:, 2:4] * kind(scale)
    angle = -rois[:, 4:] if clockwise else rois[:, 4:]
    return [SamplingArea(*row) for row in np.concatenate([-size / 2, size, center, angle], axis=1).tolist()]


def align_all(
    features: Array,
    regions: list[SamplingArea],
    batches: Array,
    pooled: tuple[int, int],
    ratio: int,
    mode: Literal["avg", "max"] = "avg",
) -> Array:
    """Pool regions of ``features [N, C, H, W]`` to ``[n, C, *pooled]``; ``batches`` are the regions' batch indices."""
    result = np.zeros((len(regions), features.shape[1], *pooled), features.dtype)
    for index, (region, batch) in enumerate(zip(regions, batches.tolist(), strict=True)):
        result[index] = align(features[batch], region, pooled, ratio, mode, features.dtype.type)
    return result


def pyramid_levels(rois: Array, levels: int) -> Array:
    """Return the level of a feature pyramid for each box ``[n, 4]`` by its size; ``levels`` for a box without area.

    A box of 224 x 224 belongs to level 2 (https://arxiv.org/abs/1612.03144).
    """
    sides = rois[:, 2:] - rois[:, :2]
    area = sides.prod(axis=1)
    kind = rois.dtype.type
    level = np.floor(2 + np.log2(np.sqrt(np.maximum(area, 0)) / kind(224) + kind(1e-6)))
    return np.where(area > 0, np.clip(level, 0, levels - 1), levels).astype(np.int64)
