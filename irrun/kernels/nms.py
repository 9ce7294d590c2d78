"""Non-maximum suppression: greedy, soft and matrix, over any measure of overlap.

Axis-aligned boxes are rows of two corners, ``[x1, y1, x2, y2]`` or ``[y1, x1, y2, x2]``, the smaller one first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.threads import Array

Overlap = Callable[[Array, Array], Array]
"""A function from boxes and other boxes, broadcast against each other, to their intersection over union."""

_PAIRS = 1 << 17
"""Pairs of boxes that are compared at a time."""


def iou(boxes: Array, others: Array, unit: float = 0.0, *, apart: bool = False) -> Array:
    """Return intersection over union of boxes ``[..., 4]`` with others, broadcast; 0 where either has no area.

    ``unit`` is added to each side: 1 where coordinates are pixel indices and the last pixel belongs to the box. With
    ``apart``, boxes that do not touch before ``unit`` is added do not intersect.
    """
    one = boxes.dtype.type(unit)
    width = np.minimum(boxes[..., 2], others[..., 2]) - np.maximum(boxes[..., 0], others[..., 0]) + one
    height = np.minimum(boxes[..., 3], others[..., 3]) - np.maximum(boxes[..., 1], others[..., 1]) + one
    common = np.maximum(width, 0) * np.maximum(height, 0)
    if apart:
        meet = (boxes[..., 0] <= others[..., 2]) & (others[..., 0] <= boxes[..., 2])
        meet &= (boxes[..., 1] <= others[..., 3]) & (others[..., 1] <= boxes[..., 3])
        common = np.where(meet, common, 0)
    area, other_area = _area(boxes, one), _area(others, one)
    ratio: Array = common / (area + other_area - common)
    return np.where((area > 0) & (other_area > 0), ratio, 0)


def _area(boxes: Array, one: Any) -> Array:
    return np.asarray((boxes[..., 2] - boxes[..., 0] + one) * (boxes[..., 3] - boxes[..., 1] + one))


def by_score(scores: Array) -> Array:
    """Return the positions of the scores from highest to lowest; equal ones keep their order."""
    order: Array = np.argsort(-scores, kind="stable")
    return order


def ranked(scores: Array, chosen: Array, most: int = -1) -> Array:
    """Return the positions where ``chosen`` is true by descending score; only the first ``most``, unless that is -1."""
    positions = np.flatnonzero(chosen)
    ordered = positions[by_score(scores[positions])]
    return ordered[:most] if most > -1 else ordered


def suppress(
    boxes: Array,
    scores: Array,
    chosen: Array,
    threshold: float,
    overlap: Overlap = iou,
    *,
    most: int = -1,
    limit: float = np.inf,
    eta: float = 1.0,
    sigma: float = 0.0,
    score_threshold: float = 0.0,
) -> tuple[Array, Array]:
    """Return the positions that greedy suppression keeps, in order, and their scores.

    It begins with the boxes that are ``chosen``, or the ``most`` best of them. Each kept box removes later ones that
    overlap it by more than ``threshold``, which is multiplied by ``eta`` at each kept box as long as it is above 0.5.
    With a positive ``sigma``, each kept box also multiplies the scores of the others by exp(-overlap² / (2 sigma)), and
    removes those whose score is not above ``score_threshold`` then.
    """
    is_soft = sigma > 0
    alive = np.flatnonzero(chosen) if is_soft else ranked(scores, chosen, most)
    current = scores[alive]
    kept: list[np.int64] = []
    kept_scores: list[Any] = []
    while alive.size and len(kept) < limit:
        top = np.argmax(current) if is_soft else 0
        kept.append(alive[top])
        kept_scores.append(current[top])
        common = overlap(boxes[alive[top]], boxes[alive])
        if threshold > 0.5:
            threshold *= eta
        stays = ~(common > threshold)
        if is_soft:
            current = current * np.exp(-0.5 / sigma * common * common).astype(scores.dtype)
            stays &= current > score_threshold
        stays[top] = False
        alive, current = alive[stays], current[stays]
    return np.array(kept, np.int64), np.array(kept_scores, scores.dtype)


def matrix_decay(boxes: Array, scores: Array, sigma: float | None, unit: float) -> Array:
    """Return the scores after Matrix NMS (https://arxiv.org/abs/2003.10152), for boxes in descending order of score.

    A box is decayed by the higher-scoring one with the largest relative overlap: linearly, or by a Gaussian with
    ``sigma``. Comparing boxes in blocks bounds the memory.
    """
    count = len(boxes)
    most, least = np.zeros(count), np.ones(count)
    step = max(_PAIRS // max(count, 1), 1)
    for begin in range(0, count, step):
        end = min(begin + step, count)
        higher = np.arange(end)[:, None] < np.arange(begin, end)
        common = np.where(higher, iou(boxes[:end, None], boxes[None, begin:end], unit, apart=True), 0)
        most[begin:end] = common.max(axis=0, initial=0)
        if sigma is None:
            decay = (1 - common) / np.maximum(1 - most[:end, None], 1e-10)
        else:
            decay = np.exp((most[:end, None] ** 2 - common**2) * sigma)
        least[begin:end] = np.where(higher, decay, 1).min(axis=0, initial=1)
    return np.asarray(scores * least.astype(scores.dtype))


class SelectedBoxes(NamedTuple):
    """Boxes selected from a batch, as parallel columns."""

    batch: Array
    label: Array
    box: Array
    score: Array

    def take(self, order: Array) -> SelectedBoxes:
        return SelectedBoxes(*(column[order] for column in self))

    def descending(self) -> SelectedBoxes:
        """Return the selection sorted by descending score; equal scores by batch, class and box."""
        return self.take(np.lexsort((self.box, self.label, self.batch, -self.score)))

    def best(self, count: int) -> SelectedBoxes:
        """Return the first of them in this order."""
        return self.descending().take(np.arange(min(len(self.score), count)))

    def triples(self, of: Array) -> Array:
        """Return rows of batch, class and ``of``."""
        columns = np.stack([self.batch.astype(of.dtype), self.label.astype(of.dtype), of], axis=1)
        return np.asarray(columns)


def gather(parts: list[SelectedBoxes], score_type: np.dtype[Any]) -> SelectedBoxes:
    """Concatenate several selections."""
    none = np.zeros(0, np.int64)
    nothing = SelectedBoxes(none, none, none, np.zeros(0, score_type))
    return SelectedBoxes(*(np.concatenate(column) for column in zip(nothing, *parts, strict=True)))


def by_class(
    scores: Array, choose: Callable[[int], tuple[Array, Array]], background: int = -1, batch: int = 0
) -> SelectedBoxes:
    """Select from each class of scores [C, n] but the background; ``choose`` returns positions and their scores."""
    parts = []
    for label in range(len(scores)):
        if label != background:
            kept, score = choose(label)
            parts.append(SelectedBoxes(np.full_like(kept, batch), np.full_like(kept, label), kept, score))
    return gather(parts, scores.dtype)


def select(
    boxes: Array,
    scores: Array,
    limit: int,
    iou_threshold: float,
    score_threshold: float,
    overlap: Overlap,
    *,
    sigma: float = 0.0,
    soft_drops: bool = False,
) -> SelectedBoxes:
    """Suppress in each class of each batch element, for boxes ``[N, M, K]`` with scores ``[N, C, M]``.

    Only scores above ``score_threshold`` take part, and at most ``limit`` boxes of a class are selected. A positive
    ``sigma`` selects soft suppression, in which ``iou_threshold`` is used only with ``soft_drops``.
    """
    threshold = iou_threshold if soft_drops or not sigma > 0 else np.inf
    keep = partial(suppress, overlap=overlap, limit=limit, sigma=sigma, score_threshold=score_threshold)

    def choose(batch: int, label: int) -> tuple[Array, Array]:
        of_class = scores[batch, label]
        return keep(boxes[batch], of_class, of_class > score_threshold, threshold)

    images = range(len(scores) if limit > 0 else 0)
    return gather([by_class(scores[n], partial(choose, n), batch=n) for n in images], scores.dtype)
