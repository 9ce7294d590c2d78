"""Suppression by class and image with limits and sorting, shared by MulticlassNms and MatrixNms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from irrun.kernels.nms import SelectedBoxes, by_class, gather, iou, matrix_decay, ranked, suppress
from irrun.kernels.threads import Array

Sorting = Literal["classid", "score", "none"]
OfClass = Callable[[Array, Array], tuple[Array, Array]]
"""A function from the boxes ``[n, 4]`` and scores ``[n]`` of one class to the selected positions and their scores."""


def select_image(boxes: Array, scores: Array, of_class: OfClass, background: int, keep_top_k: int) -> SelectedBoxes:
    """Select the boxes of one image by descending score, from boxes ``[C, n, 4]`` or ``[1, n, 4]``, scores ``[C, n]``.

    ``keep_top_k`` limits their number unless it is -1.
    """
    found = by_class(scores, lambda label: of_class(boxes[label if len(boxes) > 1 else 0], scores[label]), background)
    return found.best(keep_top_k if keep_top_k > -1 else len(found.score))


def greedy(
    boxes: Array, scores: Array, *, iou_threshold: float, score_threshold: float, top_k: int, eta: float, unit: float
) -> tuple[Array, Array]:
    """Suppress boxes of one class greedily, among the ``top_k`` best with at least ``score_threshold``."""
    chosen = scores >= scores.dtype.type(score_threshold)
    return suppress(boxes, scores, chosen, iou_threshold, partial(iou, unit=unit), most=top_k, eta=eta)


def matrix(
    boxes: Array,
    scores: Array,
    *,
    score_threshold: float,
    post_threshold: float,
    top_k: int,
    sigma: float | None,
    unit: float,
) -> tuple[Array, Array]:
    """Suppress boxes of one class by Matrix NMS, keeping those above ``post_threshold`` after decay."""
    candidates = ranked(scores, scores > scores.dtype.type(score_threshold), top_k)
    decayed = matrix_decay(boxes[candidates], scores[candidates], sigma, unit)
    stays = decayed > scores.dtype.type(post_threshold)
    return candidates[stays], decayed[stays]


def arrange(images: list[SelectedBoxes], score_type: np.dtype[Any], sorting: Sorting, across: bool) -> SelectedBoxes:
    """Concatenate the images, sorted within each or, with ``across``, over all of them."""
    numbered = [image._replace(batch=np.full_like(image.box, index)) for index, image in enumerate(images)]
    found = gather(numbered, score_type)
    if sorting == "score" and across:
        return found.descending()
    if sorting == "classid":
        first, second = (found.label, found.batch) if across else (found.batch, found.label)
        return found.take(np.lexsort((found.box, -found.score, second, first)))
    return found
