from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.nms import select
from irrun.kernels.rotated import rotated_iou
from irrun.ops import Array, Fact, In, Op, Out, Shape, attr, op
from irrun.ops._declared.sort.selection import check_single, number, selected_outputs, selected_shapes, threshold
from irrun.tensor.element_type import F32, FLOAT, INTEGER

_SINGLE = (
    In("max_output_boxes_per_class", INTEGER, "the maximum number of boxes of a class", rank=(0, 1)),
    In("iou_threshold", FLOAT, "the overlap above which a box is suppressed", rank=(0, 1)),
    In("score_threshold", FLOAT, "the score that a box must exceed", rank=(0, 1)),
)


@op("NMSRotated", opset=13)
class NMSRotated(Op):
    """Select rotated boxes by score and class, omitting those that overlap a better one.

    Note: as in OpenVINO, a score must exceed score_threshold. On the page it may also equal it, which with a threshold
    of 0 would restore every suppressed box. As in OpenVINO, scores are f32 whatever the type of the thresholds.
    """

    alike = ((0, 1),)
    inputs = (
        In("boxes", FLOAT, "[num_batches, num_boxes, 5]: [x_center, y_center, width, height, angle]", rank=3),
        In("scores", FLOAT, "[num_batches, num_classes, num_boxes]", rank=3),
        *_SINGLE,
    )
    outputs = (
        Out("selected_indices", "output_type", "rows of [batch, class, box]"),
        Out("selected_scores", F32, "rows of [batch, class, score]"),
        Out("valid_outputs", "output_type", "the number of rows"),
    )

    sort_result_descending: bool = attr(True, doc="whether to sort by score across batches and classes")
    output_type: Literal["i64", "i32"] = attr("i64")
    clockwise: bool = attr(True, doc="whether positive angles turn clockwise, y pointing down")

    def infer(self, boxes: Fact, scores: Fact, *options: Fact) -> tuple[Shape, Shape, Shape]:
        check_single(tuple(port.name for port in _SINGLE), options, first=2)
        return selected_shapes(boxes, scores, options[0], 5)

    def run(
        self, boxes: Array, scores: Array, limit: Array, iou_threshold: Array, score_threshold: Array
    ) -> tuple[Array, Array, Array]:
        if not self.clockwise:
            boxes = boxes * np.array([1, 1, 1, 1, -1], boxes.dtype)
        found = select(boxes, scores, number(limit), threshold(iou_threshold), threshold(score_threshold), rotated_iou)
        return selected_outputs(found.descending() if self.sort_result_descending else found)
