"""Region proposals: anchors, their refinement by predicted deltas, and the selection among them.

Boxes and anchors are rows ``[x1, y1, x2, y2]``.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from irrun.kernels.nms import by_class, iou, suppress
from irrun.kernels.threads import Array

MAX_LOG_SIZE = math.log(1000 / 16)


def refine(anchors: Array, deltas: Array, unit: float, max_log: float = np.inf, *, inclusive: bool = True) -> Array:
    """Move and scale anchors by deltas ``[dx, dy, log of width, log of height]``, broadcast.

    ``unit`` is the difference between the length of a side and its coordinates; with ``inclusive`` it is subtracted
    again at the end. ``max_log`` limits the logarithms.
    """
    kind = deltas.dtype.type
    size = anchors[..., 2:] - anchors[..., :2] + kind(unit)
    center = anchors[..., :2] + kind(0.5) * size
    moved = deltas[..., :2] * size + center
    half = np.exp(np.minimum(deltas[..., 2:], kind(max_log))) * size * kind(0.5)
    last = moved + half - kind(unit) if inclusive else moved + half
    return np.concatenate([moved - half, last], axis=-1)


def clip(boxes: Array, height: Any, width: Any) -> Array:
    """Clip boxes to x from 0 to ``width`` and y from 0 to ``height``."""
    return np.asarray(np.maximum(np.minimum(boxes, np.array([width, height] * 2, boxes.dtype)), 0))


def large_enough(boxes: Array, height: Any, width: Any, unit: float) -> Array:
    """Return a mask of the boxes with at least this height and width."""
    size = boxes[..., 2:] - boxes[..., :2] + boxes.dtype.type(unit)
    return np.asarray((size >= np.array([width, height], boxes.dtype)).all(axis=-1))


def generate_anchors(base: int, ratios: tuple[float, ...], scales: tuple[float, ...], tensorflow: bool) -> Array:
    """Return anchors ``[ratios * scales, 4]`` around a square of side ``base``, like Caffe or TensorFlow."""
    kind = np.float32
    ratio, scale = np.array(ratios, kind), np.array(scales, kind)
    unit = kind(0 if tensorflow else 1)
    width = np.sqrt(kind(base * base) / ratio)
    width = width if tensorflow else np.floor(width + kind(0.5))
    height = width * ratio if tensorflow else np.floor(width * ratio + kind(0.5))
    half = np.stack([np.outer(width, scale), np.outer(height, scale)], axis=-1).reshape(-1, 2) - unit
    half = half * kind(0.5)
    center = kind(0) if tensorflow else kind(0.5) * (kind(base) - unit)
    return np.concatenate([center - half, center + half], axis=1)


def propose(
    scores: Array,
    deltas: Array,
    image: Array,
    anchors: Array,
    *,
    stride: int,
    min_size: int,
    threshold: float,
    before: int,
    after: int,
    clip_before: bool,
    clip_after: bool,
    normalize: bool,
    tensorflow: bool,
) -> tuple[Array, Array]:
    """Return the regions proposed for one image, best first, and their scores.

    ``scores [A, H, W]``, ``deltas [A * 4, H, W]``; ``image`` holds height, width, and one common or two separate
    scales. With ``tensorflow``, the first coordinate of a box is the vertical one.
    """
    unit = 0.0 if tensorflow else 1.0
    kind = scores.dtype.type
    height, width = (image[1], image[0]) if tensorflow else (image[0], image[1])
    rows, columns = np.meshgrid(*(np.arange(size) * stride for size in scores.shape[1:]), indexing="ij")
    shift = np.stack([rows, columns] if tensorflow else [columns, rows], axis=-1).astype(kind)
    boxes = np.tile(shift, 2)[:, :, None] + anchors.astype(kind)
    if tensorflow:
        boxes = clip(boxes, height, width)
    by_anchor = deltas.reshape(len(anchors), 4, *deltas.shape[1:]).transpose(2, 3, 0, 1)
    boxes = refine(boxes, by_anchor, unit, inclusive=False)
    if clip_before:
        boxes = clip(boxes, height - kind(unit), width - kind(unit))
    boxes, score = boxes.reshape(-1, 4), scores.transpose(1, 2, 0).reshape(-1)
    large = large_enough(boxes, min_size * image[2], min_size * image[-1], unit)
    overlap = partial(iou, unit=unit, apart=True)
    kept, score = suppress(boxes, score, large, threshold, overlap, most=before, limit=after)
    boxes = boxes[kept]
    if clip_after:
        boxes = clip(boxes, height, width)
    if normalize:
        boxes = boxes / np.array([width, height] * 2, boxes.dtype)
    return boxes, score


def detect(
    boxes: Array, scores: Array, *, score_threshold: float, threshold: float, per_class: int, in_all: int
) -> tuple[Array, Array, Array]:
    """Select detections from ``boxes [n, C, 4]`` with ``scores [n, C]``; class 0 is the background.

    Returns classes, boxes and scores. Suppression is by class; of more than ``in_all`` detections the best remain, by
    descending score.
    """

    def of_class(label: int) -> tuple[Array, Array]:
        own, overlap = scores[:, label], partial(iou, unit=1.0, apart=True)
        likely = own > scores.dtype.type(score_threshold)
        return suppress(boxes[:, label], own, likely, threshold, overlap, limit=per_class)

    found = by_class(scores.T, of_class, background=0)
    found = found.best(in_all) if len(found.score) > in_all else found
    return found.label, found.box, found.score
