"""Shape rules and outputs of operations that select boxes by class."""

from __future__ import annotations

import numpy as np

from irrun.kernels.nms import SelectedBoxes
from irrun.ops import Array, Dim, Fact, OpError, Shape
from irrun.ops._declared.detection.boxes import expect_size, ranked, up_to
from irrun.ops.shapes import merge_dims


def counts(boxes: Fact, scores: Fact, limit: Fact | None, coordinates: int) -> tuple[Dim, Dim, Dim, Dim]:
    """Return the numbers of batch elements, of classes, of boxes, and of boxes that one class can select."""
    of_boxes, of_scores = ranked(boxes, 3), ranked(scores, 3)
    expect_size(of_boxes[2], coordinates, "the last size of boxes", input=0)
    batches = merge_dims(of_boxes[0], of_scores[0], "the numbers of batches of boxes and scores", input=1)
    number = merge_dims(of_boxes[1], of_scores[2], "the numbers of boxes of boxes and scores", input=1)
    if limit is None:
        return batches, of_scores[1], number, Dim.exactly(0)
    known = limit.dims()
    most = (known[0] if known else Dim.anything()).maximum(0)
    return batches, of_scores[1], number, number.minimum(most)


def selected_shapes(boxes: Fact, scores: Fact, limit: Fact | None, coordinates: int) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of rows of indices, of rows of scores, and of their number."""
    batches, classes, _, per_class = counts(boxes, scores, limit, coordinates)
    rows = up_to(batches * classes * per_class)
    return Shape([rows, 3]), Shape([rows, 3]), Shape([1])


def selected_outputs(found: SelectedBoxes) -> tuple[Array, Array, Array]:
    """Return rows of [batch, class, box], rows of [batch, class, score], and their number."""
    return found.triples(found.box), found.triples(found.score), np.array([len(found.box)])


def check_single(names: tuple[str, ...], facts: tuple[Fact | None, ...], first: int) -> None:
    """Raise OpError where an input of one element has another number; ``first`` is the index of the first input."""
    for index, (name, fact) in enumerate(zip(names, facts, strict=True), start=first):
        if fact is not None and fact.shape.dims is not None and not fact.shape.size.admits(1):
            raise OpError(f"{name} has shape {fact.shape}, expected a single element", input=index)


def number(value: Array | None) -> int:
    """Return the maximum number of boxes of a class: 0 where the input is absent or negative."""
    return 0 if value is None else max(int(value.reshape(-1)[0]), 0)


def threshold(value: Array | None) -> float:
    """Return the value of a threshold input: 0 where it is absent."""
    return 0.0 if value is None else float(value.reshape(-1)[0])
