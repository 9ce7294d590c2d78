"""Shape rules and outputs of MulticlassNms and MatrixNms."""

from __future__ import annotations

import numpy as np

from irrun.kernels.multiclass_nms import OfClass, Sorting, arrange, select_image
from irrun.kernels.nms import SelectedBoxes
from irrun.ops import Array, Dim, Fact, Shape
from irrun.ops._declared.detection.boxes import up_to
from irrun.ops._declared.sort.selection import counts


def shared_shapes(boxes: Fact, scores: Fact, top_k: int, keep: int, background: int) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of rows of boxes, of indices, and of their numbers, where all classes share the boxes."""
    batches, classes, boxes_each, _ = counts(boxes, scores, None, 4)
    return selected_shapes(batches, most_rows(batches, classes, boxes_each, top_k, keep, background))


def most_rows(images: Dim, classes: Dim, boxes: Dim, top_k: int, keep: int, background: int) -> Dim:
    """Return the maximum number of boxes selected from all images."""
    if background >= 0 and classes.lo > background:
        classes = classes - 1
    per_class = boxes if top_k < 0 else boxes.minimum(top_k)
    per_image = classes * per_class
    return images * (per_image if keep < 0 else per_image.minimum(keep))


def selected_shapes(images: Dim, most: Dim) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of rows of boxes, of indices, and of the numbers of rows."""
    rows = up_to(most)
    return Shape([rows, 6]), Shape([rows, 1]), Shape([images])


def run_shared(
    boxes: Array, scores: Array, of_class: OfClass, background: int, keep: int, sorting: Sorting, across: bool
) -> tuple[Array, Array, Array]:
    """Return the outputs for boxes ``[N, M, 4]`` shared by all classes of the scores ``[N, C, M]``."""
    images = [
        select_image(of_image[None], of_scores, of_class, background, keep)
        for of_image, of_scores in zip(boxes, scores, strict=True)
    ]
    found = arrange(images, scores.dtype, sorting, across)
    index = found.batch * boxes.shape[1] + found.box
    return outputs(found, boxes.reshape(-1, 4)[index], index, images)


def outputs(
    found: SelectedBoxes, corners: Array, index: Array, images: list[SelectedBoxes]
) -> tuple[Array, Array, Array]:
    """Return rows of [class, score, four coordinates], rows of indices, and the number of rows of each image."""
    label = found.label.astype(corners.dtype)[:, None]
    rows = np.concatenate([label, found.score[:, None], corners], axis=1)
    return rows, index[:, None], np.array([len(image.box) for image in images], np.int64)
