"""The last step of SSD (https://arxiv.org/abs/1512.02325): decodes boxes from priors and selects the best ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irrun.kernels.nms import by_class, suppress
from irrun.kernels.threads import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionSettings:
    """Options for decoding and selecting boxes. -1 for ``top_k`` and ``keep_top_k`` means no limit."""

    classes: int
    background: int
    top_k: int
    keep_top_k: int
    by_center: bool
    nms_threshold: float
    confidence_threshold: float
    clip_before: bool
    clip_after: bool
    one_class_each: bool
    objectness: float


def detections(
    offsets: Array,
    scores: Array,
    priors: Array,
    variances: Array | None,
    arm_scores: Array | None,
    arm_offsets: Array | None,
    counts: Array,
    settings: DetectionSettings,
) -> Array:
    """Return rows [image, class, score, x1, y1, x2, y2], by image, class and descending score.

    ``offsets [N, P, L, 4]`` with L of 1 where classes share them, ``scores [N, P, C]``, ``priors`` and ``variances``
    ``[N, P, 4]``. ``arm_scores [N, P, 2]`` and ``arm_offsets`` first refine the priors
    (https://arxiv.org/abs/1711.06897). ``counts [N]`` are the numbers of priors in use.
    """
    rows = [np.zeros((0, 7), offsets.dtype)]
    for image in range(len(offsets)):
        variance = None if variances is None else variances[image][:, None]
        prior = priors[image][:, None]
        if arm_offsets is not None:
            prior = _decode(prior, arm_offsets[image], variance, settings)
        boxes = _decode(prior, offsets[image], variance, settings)[: counts[image]]
        score = scores[image]
        if arm_scores is not None:
            score = _without_objects(score, arm_scores[image][:, 1] < settings.objectness, settings.background)
        score = score[: counts[image]]
        label, row = _choose(boxes, score, settings)
        corners = boxes[row, label if boxes.shape[1] > 1 else 0]
        if settings.clip_after:
            corners = np.clip(corners, 0, 1)
        shown = label - 1 if settings.one_class_each else label
        columns = [np.full(len(row), image), shown, score[row, label]]
        rows.append(np.concatenate([np.stack(columns, axis=1).astype(offsets.dtype), corners], axis=1))
    return np.concatenate(rows)


def _decode(priors: Array, offsets: Array, variances: Array | None, settings: DetectionSettings) -> Array:
    """Decode offsets from priors to corners ``[P, L, 4]``."""
    scaled = offsets if variances is None else offsets * variances
    if settings.by_center:
        size = priors[..., 2:] - priors[..., :2]
        center = scaled[..., :2] * size + (priors[..., :2] + priors[..., 2:]) / 2
        half = np.exp(scaled[..., 2:]) * size / 2
        corners = np.concatenate([center - half, center + half], axis=-1)
    else:
        corners = priors + scaled
    return np.clip(corners, 0, 1) if settings.clip_before else np.asarray(corners)


def _without_objects(scores: Array, empty: Array, background: int) -> Array:
    """Return the scores, with 0 for all classes but the background where the prior is empty."""
    nothing = (np.arange(scores.shape[1]) == background).astype(scores.dtype)
    return np.where(empty[:, None], nothing, scores)


def _choose(boxes: Array, scores: Array, settings: DetectionSettings) -> tuple[Array, Array]:
    """Return the classes and positions that suppression keeps, sorted by class and score."""
    least = scores.dtype.type(settings.confidence_threshold)
    chosen = _best_class(scores, settings) if settings.one_class_each else scores > least

    def of_class(label: int) -> tuple[Array, Array]:
        own = boxes[:, label if boxes.shape[1] > 1 else 0]
        return suppress(own, scores[:, label], chosen[:, label], settings.nms_threshold, most=settings.top_k)

    found = by_class(scores.T[: settings.classes], of_class, settings.background)
    labels, priors = found.label, found.box
    if -1 < settings.keep_top_k < len(priors):
        best = np.lexsort((labels, priors, -found.score))[: settings.keep_top_k]
        best = best[np.argsort(labels[best], kind="stable")]
        labels, priors = labels[best], priors[best]
    return labels, priors


def _best_class(scores: Array, settings: DetectionSettings) -> Array:
    """Return a mask of the best class of each prior, never class 0, for the priors of the best scores, then class."""
    allowed = scores.copy()
    allowed[:, 0] = -1
    if settings.background > -1:
        allowed[:, settings.background : settings.background + 1] = -1
    label = allowed.argmax(axis=1)
    score = np.take_along_axis(allowed, label[:, None], axis=1)[:, 0]
    is_likely = (label > 0) & (score > -1) & (score >= scores.dtype.type(settings.confidence_threshold))
    likely = np.flatnonzero(is_likely)
    row = likely[np.lexsort((likely, label[likely], -score[likely]))]
    row = row[: settings.top_k] if settings.top_k > -1 else row
    chosen = np.zeros(scores.shape, np.bool_)
    chosen[row, label[row]] = True
    return chosen
