"""The last step of SSD (https://arxiv.org/abs/1512.02325): decodes boxes from priors and selects the best ones."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np

from irrun.kernels.nms import SelectedBoxes, by_class, suppress
from irrun.kernels.threads import Array

CodeType = Literal["caffe.PriorBoxParameter.CORNER", "caffe.PriorBoxParameter.CENTER_SIZE"]


class DetectionSettings(Protocol):
    """The attributes of DetectionOutput for decoding and selecting boxes; a ``top_k`` of -1 means no limit."""

    background_label_id: int
    top_k: int
    keep_top_k: tuple[int, ...]
    code_type: CodeType
    nms_threshold: float
    confidence_threshold: float
    clip_after_nms: bool
    clip_before_nms: bool
    decrease_label_id: bool
    objectness_score: float


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
            # A prior without an object has a score of 1 for the background and 0 for every other class.
            of_empty = (np.arange(score.shape[1]) == settings.background_label_id).astype(score.dtype)
            score = np.where(arm_scores[image][:, 1:] < settings.objectness_score, of_empty, score)
        found = _choose(boxes, score[: counts[image]], settings)
        corners = boxes[found.box, found.label if boxes.shape[1] > 1 else 0]
        if settings.clip_after_nms:
            corners = np.clip(corners, 0, 1)
        shown = found.label - 1 if settings.decrease_label_id else found.label
        columns = [np.full(len(shown), image), shown, found.score]
        rows.append(np.concatenate([np.stack(columns, axis=1).astype(offsets.dtype), corners], axis=1))
    return np.concatenate(rows)


def _decode(priors: Array, offsets: Array, variances: Array | None, settings: DetectionSettings) -> Array:
    """Decode offsets from priors to corners ``[P, L, 4]``."""
    scaled = offsets if variances is None else offsets * variances
    if settings.code_type == "caffe.PriorBoxParameter.CENTER_SIZE":
        size = priors[..., 2:] - priors[..., :2]
        center = scaled[..., :2] * size + (priors[..., :2] + priors[..., 2:]) / 2
        half = np.exp(scaled[..., 2:]) * size / 2
        corners = np.concatenate([center - half, center + half], axis=-1)
    else:
        corners = priors + scaled
    return np.clip(corners, 0, 1) if settings.clip_before_nms else np.asarray(corners)


def _choose(boxes: Array, scores: Array, settings: DetectionSettings) -> SelectedBoxes:
    """Return what suppression keeps, sorted by class and score."""
    least, most = scores.dtype.type(settings.confidence_threshold), settings.keep_top_k[0]
    chosen = _best_class(scores, settings) if settings.decrease_label_id else scores > least

    def of_class(label: int) -> tuple[Array, Array]:
        own = boxes[:, label if boxes.shape[1] > 1 else 0]
        return suppress(own, scores[:, label], chosen[:, label], settings.nms_threshold, most=settings.top_k)

    found = by_class(scores.T, of_class, settings.background_label_id)
    if -1 < most < len(found.box):
        best = found.take(np.lexsort((found.label, found.box, -found.score))[:most])
        found = best.take(np.argsort(best.label, kind="stable"))
    return found


def _best_class(scores: Array, settings: DetectionSettings) -> Array:
    """Return a mask of the best class of each prior, never class 0, for the priors of the best scores, then class."""
    allowed = scores.copy()
    allowed[:, 0] = -1
    background = settings.background_label_id
    if background > -1:
        allowed[:, background : background + 1] = -1
    label, score = allowed.argmax(axis=1), allowed.max(axis=1)
    is_likely = (label > 0) & (score > -1) & (score >= scores.dtype.type(settings.confidence_threshold))
    likely = np.flatnonzero(is_likely)
    row = likely[np.lexsort((label[likely], -score[likely]))][: settings.top_k if settings.top_k > -1 else None]
    chosen = np.zeros(scores.shape, np.bool_)
    chosen[row, label[row]] = True
    return chosen
