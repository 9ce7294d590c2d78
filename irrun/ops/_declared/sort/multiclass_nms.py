from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Literal

import numpy as np

from irrun.kernels.multiclass_nms import OfClass, Sorting, arrange, greedy, select_image
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, ranked
from irrun.ops._declared.sort.multiclass import most_rows, outputs, run_shared, selected_shapes, shared_shapes
from irrun.ops.declaration import MOST_IN_32_BITS
from irrun.ops.departures import NEXT_THRESHOLD
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT, I32, I64

T = TypeVar("T", FLOAT)

_OUTPUTS = (
    Out("selected_outputs", T, "rows of [class, score, xmin, ymin, xmax, ymax]"),
    Out("selected_indices", "output_type", "rows of the index among the boxes of all images"),
    Out("selected_num", "output_type", "the number of rows of each image"),
)


@op("MulticlassNms", opset=8, page="multiclass-non-max-suppression-8")
class MulticlassNmsV8(Op):
    """Select boxes by score and class, omitting those that overlap a better one.

    Rows are in descending order of score where sort_result_type is none.
    """

    departures = {
        "nms_eta": "compares a box with all kept ones by the last threshold, with nms_eta below 1",
        "equal overlap": "suppresses a box whose overlap equals iou_threshold",
    }
    workarounds = {"equal overlap": NEXT_THRESHOLD}

    alike = ((0, 1),)
    inputs = (
        In("boxes", T, "[num_batches, num_boxes, 4]: [xmin, ymin, xmax, ymax]", rank=3),
        In("scores", T, "[num_batches, num_classes, num_boxes]", rank=3),
    )
    outputs = _OUTPUTS

    sort_result_type: Sorting = attr("none", doc="the order of the rows; the page calls it sort_result")
    sort_result_across_batch: bool = attr(False, doc="whether to sort the rows of all batches together")
    output_type: Literal["i64", "i32"] = attr("i64")
    iou_threshold: float = attr(0.0, doc="the overlap above which a box is suppressed")
    score_threshold: float = attr(0.0, doc="the score that a box must reach")
    nms_top_k: int = attr(-1, doc="maximum number of candidates of a class; -1 for all", ge=-1, le=MOST_IN_32_BITS)
    keep_top_k: int = attr(-1, doc="maximum number of boxes of a batch; -1 for all", ge=-1, le=MOST_IN_32_BITS)
    background_class: int = attr(-1, doc="class to ignore; -1 for none", ge=-1, le=MOST_IN_32_BITS)
    normalized: bool = attr(True, doc="whether coordinates are normalized; otherwise sides are longer by 1")
    nms_eta: float = attr(1.0, doc="factor of an iou_threshold above 0.5 at each kept box", ge=0, le=1)

    def infer(self, boxes: Fact, scores: Fact) -> tuple[Shape, Shape, Shape]:
        return shared_shapes(boxes, scores, self.nms_top_k, self.keep_top_k, self.background_class)

    def run(self, boxes: Array, scores: Array) -> tuple[Array, Array, Array]:
        return run_shared(
            boxes,
            scores,
            _greedy(self),
            self.background_class,
            self.keep_top_k,
            self.sort_result_type,
            self.sort_result_across_batch,
        )


@op("MulticlassNms", opset=9, page="multiclass-non-max-suppression-9")
class MulticlassNmsV9(Op):
    """Select boxes by score and class, omitting those that overlap a better one.

    With roisnum each class has separate boxes, those of all images concatenated. Rows are in descending order of score
    where sort_result_type is none.

    Note: as in OpenVINO, with roisnum the index counts classes first, box * num_classes + class; the page has a formula
    only for shared boxes.
    """

    departures = {
        "nms_eta": "compares a box with all kept ones by the last threshold, with nms_eta below 1",
        "equal overlap": "suppresses a box whose overlap equals iou_threshold",
    }
    workarounds = {"equal overlap": NEXT_THRESHOLD}

    alike = ((0, 1),)
    inputs = (
        In("boxes", T, "[num_batches, num_boxes, 4], or [num_classes, num_boxes, 4] with roisnum", rank=3),
        In("scores", T, "[num_batches, num_classes, num_boxes], or [num_classes, num_boxes] with roisnum", rank=(2, 3)),
        In("roisnum", frozenset({I32, I64}), "the number of boxes of each image", optional=True, rank=1),
    )
    outputs = _OUTPUTS

    sort_result_type: Sorting = attr("none", doc="the order of the rows; the page calls it sort_result")
    sort_result_across_batch: bool = attr(False, doc="whether to sort the rows of all images together")
    output_type: Literal["i64", "i32"] = attr("i64")
    iou_threshold: float = attr(0.0, doc="the overlap above which a box is suppressed")
    score_threshold: float = attr(0.0, doc="the score that a box must reach")
    nms_top_k: int = attr(-1, doc="maximum number of candidates of a class; -1 for all", ge=-1, le=MOST_IN_32_BITS)
    keep_top_k: int = attr(-1, doc="maximum number of boxes of an image; -1 for all", ge=-1, le=MOST_IN_32_BITS)
    background_class: int = attr(-1, doc="class to ignore; -1 for none", ge=-1, le=MOST_IN_32_BITS)
    normalized: bool = attr(True, doc="whether coordinates are normalized; otherwise sides are longer by 1")
    nms_eta: float = attr(1.0, doc="factor of an iou_threshold above 0.5 at each kept box", ge=0, le=1)

    def infer(self, boxes: Fact, scores: Fact, roisnum: Fact | None) -> tuple[Shape, Shape, Shape]:
        rank = 3 if roisnum is None else 2
        if scores.rank not in (None, rank):
            what = "without roisnum" if roisnum is None else "with roisnum"
            raise OpError(f"scores have rank {scores.rank}, expected {rank} {what}", input=1)
        limits = (self.nms_top_k, self.keep_top_k, self.background_class)
        if roisnum is None:
            return shared_shapes(boxes, scores, *limits)
        of_boxes, of_scores = ranked(boxes, 3), ranked(scores, 2)
        expect_size(of_boxes[2], 4, "the last size of boxes", input=0)
        classes = merge_dims(of_boxes[0], of_scores[0], "the numbers of classes of boxes and scores", input=1)
        number = merge_dims(of_boxes[1], of_scores[1], "the numbers of boxes of boxes and scores", input=1)
        images = ranked(roisnum, 1)[0]
        return selected_shapes(images, most_rows(images, classes, number, *limits))

    def run(self, boxes: Array, scores: Array, roisnum: Array | None) -> tuple[Array, Array, Array]:
        if roisnum is not None:
            return self._run_split(boxes, scores, roisnum)
        return run_shared(
            boxes,
            scores,
            _greedy(self),
            self.background_class,
            self.keep_top_k,
            self.sort_result_type,
            self.sort_result_across_batch,
        )

    def _run_split(self, boxes: Array, scores: Array, roisnum: Array) -> tuple[Array, Array, Array]:
        """Return the outputs where each class has separate boxes and roisnum is the number of each image."""
        ends = np.cumsum(np.maximum(roisnum, 0))
        if ends.size and ends[-1] > boxes.shape[1]:
            raise OpError(f"roisnum adds up to {ends[-1]}, expected at most {boxes.shape[1]} boxes", input=2)
        starts = np.concatenate([[0], ends]).astype(np.int64)
        of_class = _greedy(self)
        images = [
            select_image(boxes[:, begin:end], scores[:, begin:end], of_class, self.background_class, self.keep_top_k)
            for begin, end in pairwise(starts)
        ]
        found = arrange(images, scores.dtype, self.sort_result_type, self.sort_result_across_batch)
        box = starts[found.batch] + found.box
        return outputs(found, boxes[found.label, box], box * len(boxes) + found.label, images)


def _greedy(op: MulticlassNmsV8 | MulticlassNmsV9) -> OfClass:
    return partial(
        greedy,
        iou_threshold=op.iou_threshold,
        score_threshold=op.score_threshold,
        top_k=op.nms_top_k,
        eta=op.nms_eta,
        unit=0.0 if op.normalized else 1.0,
    )
