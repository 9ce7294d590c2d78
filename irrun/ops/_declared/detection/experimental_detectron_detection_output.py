from __future__ import annotations

import numpy as np

from irrun.diagnostics import amount
from irrun.kernels.proposal import clip, detect, refine
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, merge_all, ranked
from irrun.tensor.element_type import FLOAT, I32

T = TypeVar("T", FLOAT)


@op("ExperimentalDetectronDetectionOutput", opset=6)
class ExperimentalDetectronDetectionOutput(Op):
    """Refine regions by predicted deltas, and select the best of each class by score.

    Outputs are padded with zeros.

    Note: as in OpenVINO, class 0 is the background and never detected, independent of class_agnostic_box_regression.
    Boxes are clipped to the last row and column of the image.
    """

    departures = {"clip": "clips boxes at 0 only, not at the size of the image"}

    inputs = (
        In("rois", T, "[number_of_ROIs, 4]", rank=2),
        In("deltas", T, "[number_of_ROIs, num_classes * 4]", rank=2),
        In("scores", T, "[number_of_ROIs, num_classes]", rank=2),
        In("im_info", T, "[1, 3]: height, width, scale", rank=2),
    )
    outputs = (
        Out("boxes", T, "[max_detections_per_image, 4]"),
        Out("classes", I32, "[max_detections_per_image]"),
        Out("scores", T, "[max_detections_per_image]"),
    )

    score_threshold: float = attr(doc="the score that a detection must exceed", ge=0, openvino=0.0)
    nms_threshold: float = attr(doc="the overlap above which a box is suppressed", ge=0, openvino=0.0)
    num_classes: int = attr(ge=0)
    post_nms_count: int = attr(doc="maximum number of detections of a class", ge=0, openvino=0)
    max_detections_per_image: int = attr(ge=0, openvino=0)
    class_agnostic_box_regression: bool = attr(False)
    max_delta_log_wh: float = attr(doc="the largest logarithm of a change of size", openvino=0.0)
    deltas_weights: tuple[float, ...] = attr(doc="divisors of the four deltas", ge=0)

    def verify(self) -> None:
        if len(self.deltas_weights) != 4:
            raise OpError(
                f"deltas_weights has {amount(len(self.deltas_weights), 'element')}, expected 4",
                attribute="deltas_weights",
            )

    def infer(self, rois: Fact, deltas: Fact, scores: Fact, im_info: Fact) -> tuple[Shape, Shape, Shape]:
        of_rois, of_deltas, of_scores, of_info = (ranked(fact, 2) for fact in (rois, deltas, scores, im_info))
        expect_size(of_rois[1], 4, "the last size of rois", input=0)
        expect_size(of_deltas[1], self.num_classes * 4, "the last size of deltas", input=1)
        expect_size(of_scores[1], self.num_classes, "the last size of scores", input=2)
        expect_size(of_info[0], 1, "the first size of im_info", input=3)
        expect_size(of_info[1], 3, "the last size of im_info", input=3)
        merge_all([of_rois[0], of_deltas[0], of_scores[0]], "the numbers of rois, deltas and scores")
        count = self.max_detections_per_image
        return Shape([count, 4]), Shape([count]), Shape([count])

    def run(self, rois: Array, deltas: Array, scores: Array, im_info: Array) -> tuple[Array, Array, Array]:
        by_class = deltas.reshape(len(rois), self.num_classes, 4) / np.array(self.deltas_weights, deltas.dtype)
        refined = refine(rois[:, None], by_class, 1.0, self.max_delta_log_wh)
        refined = clip(refined, im_info[0, 0] - 1, im_info[0, 1] - 1)
        has_area = np.asarray(((rois[:, 2:] - rois[:, :2]) > 0).all(axis=1))
        label, row, score = detect(
            refined,
            np.where(has_area[:, None], scores, -np.inf),
            score_threshold=self.score_threshold,
            threshold=self.nms_threshold,
            per_class=self.post_nms_count,
            in_all=self.max_detections_per_image,
        )
        count = self.max_detections_per_image
        boxes, classes, best = (
            np.zeros((count, 4), rois.dtype),
            np.zeros(count, np.int32),
            np.zeros(count, scores.dtype),
        )
        found = slice(len(row))
        boxes[found], classes[found], best[found] = refined[row, label], label, score
        return boxes, classes, best
