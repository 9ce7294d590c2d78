"""Intersection of rotated boxes ``[center x, center y, width, height, angle in radians]``."""

from __future__ import annotations

import numpy as np

from irrun.kernels.threads import Array

_ROUNDING = 1e-9

_BOXES = 1024
"""Boxes that are intersected at a time."""


def corners(boxes: Array) -> Array:
    """Return the corners ``[..., 4, 2]`` of boxes in order around the box; positive angles turn from x towards y."""
    center, size, angle = boxes[..., None, :2], boxes[..., None, 2:4], boxes[..., None, 4]
    offset = size * np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    cos, sin = np.cos(angle), np.sin(angle)
    rotated = np.stack([offset[..., 0] * cos - offset[..., 1] * sin, offset[..., 0] * sin + offset[..., 1] * cos], -1)
    return np.asarray(center + rotated)


def rotated_iou(box: Array, others: Array) -> Array:
    """Return intersection over union of one box with others ``[n, 5]``; 0 where either has no area."""
    box, others = box.astype(np.float64), others.astype(np.float64)
    area, other_area = box[2] * box[3], others[:, 2] * others[:, 3]
    distance = np.hypot(others[:, 0] - box[0], others[:, 1] - box[1])
    reach = (np.hypot(box[2], box[3]) + np.hypot(others[:, 2], others[:, 3])) / 2
    near = np.flatnonzero((area > 0) & (other_area > 0) & (distance <= reach))
    result = np.zeros(len(others))
    for first in range(0, len(near), _BOXES):
        some = near[first : first + _BOXES]
        common = _intersection(np.broadcast_to(corners(box), (len(some), 4, 2)), corners(others[some]))
        result[some] = common / (area + other_area[some] - common)
    return result


def _intersection(a: Array, b: Array) -> Array:
    """Return the area of the intersection of quadrilaterals ``[n, 4, 2]``, pair by pair.

    The intersection polygon is spanned by the crossings of edges and by corners inside the other quadrilateral.
    """
    crossings, crosses = _crossings(a, b)
    points = np.concatenate([crossings, a, b], axis=1)
    valid = np.concatenate([crosses, _inside(a, b), _inside(b, a)], axis=1)
    count = valid.sum(axis=1)
    center = np.where(valid[..., None], points, 0).sum(axis=1) / np.maximum(count, 1)[:, None]
    around = np.where(valid[..., None], points - center[:, None], 0)
    angle = np.where(valid, np.arctan2(around[..., 1], around[..., 0]), np.inf)
    order = np.argsort(angle, axis=1)
    ring = np.take_along_axis(around, order[..., None], axis=1)
    filled = np.arange(ring.shape[1])[None] < count[:, None]
    ring = np.where(filled[..., None], ring, ring[:, :1])
    area: Array = np.abs(_cross(ring, np.roll(ring, -1, axis=1)).sum(axis=1)) / 2
    return np.where(count > 2, area, 0)


def _crossings(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the crossings of the edges of ``a`` and ``b``, and their validity: ``[n, 16, 2]`` and ``[n, 16]``."""
    along_a = (np.roll(a, -1, axis=1) - a)[:, :, None]
    along_b = (np.roll(b, -1, axis=1) - b)[:, None]
    gap = b[:, None] - a[:, :, None]
    slope = _cross(along_a, along_b)
    parallel = np.abs(slope) <= 1e-14
    slope = np.where(parallel, 1, slope)
    on_a, on_b = _cross(gap, along_b) / slope, _cross(gap, along_a) / slope
    meets = ~parallel & (on_a >= 0) & (on_a <= 1) & (on_b >= 0) & (on_b <= 1)
    points = a[:, :, None] + np.where(meets, on_a, 0)[..., None] * along_a
    return points.reshape(len(a), 16, 2), meets.reshape(len(a), 16)


def _inside(points: Array, box: Array) -> Array:
    """Return whether points ``[n, 4, 2]`` are in boxes given by their corners, the border included."""
    from_first = points - box[:, :1]
    inside: Array = np.ones(points.shape[:2], np.bool_)
    for corner in (1, 3):
        side = (box[:, corner] - box[:, 0])[:, None]
        length = (side * side).sum(axis=-1)
        along = (from_first * side).sum(axis=-1)
        slack = _ROUNDING * length
        inside &= (along >= -slack) & (along <= length + slack)
    return inside


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
