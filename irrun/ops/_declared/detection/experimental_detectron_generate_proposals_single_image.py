from __future__ import annotations

from functools import partial

import numpy as np

from irrun.kernels.nms import iou, suppress
from irrun.kernels.proposal import MAX_LOG_SIZE, clip, large_enough, refine
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, merge_all, ranked
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("ExperimentalDetectronGenerateProposalsSingleImage", opset=6)
class ExperimentalDetectronGenerateProposalsSingleImage(Op):
    """Move and scale anchors by predicted deltas, and select the best by score.

    Outputs are padded with zeros.
    """

    departures = {"min_size": "keeps boxes smaller than min_size, with a score of 0"}

    inputs = (
        In("im_info", T, "[height, width, scale]", rank=1),
        In("anchors", T, "[height * width * number_of_channels, 4]", rank=2),
        In("deltas", T, "[number_of_channels * 4, height, width]", rank=3),
        In("scores", T, "[number_of_channels, height, width]", rank=3),
    )
    outputs = (Out("rois", T, "[post_nms_count, 4]"), Out("scores", T, "[post_nms_count]"))

    min_size: float = attr(doc="the least side of a box", ge=0, openvino=0.0)
    nms_threshold: float = attr(doc="the overlap above which a box is suppressed", ge=0, openvino=0.0)
    pre_nms_count: int = attr(doc="maximum number of boxes before suppression", ge=0, openvino=0)
    post_nms_count: int = attr(doc="number of boxes after suppression", ge=0, openvino=0)

    def infer(self, im_info: Fact, anchors: Fact, deltas: Fact, scores: Fact) -> tuple[Shape, Shape]:
        of_anchors, of_deltas, of_scores = ranked(anchors, 2), ranked(deltas, 3), ranked(scores, 3)
        expect_size(ranked(im_info, 1)[0], 3, "the number of elements of im_info", input=0)
        expect_size(of_anchors[1], 4, "the last size of anchors", input=1)
        height = merge_all([of_deltas[1], of_scores[1]], "the heights of deltas and scores", input=3)
        width = merge_all([of_deltas[2], of_scores[2]], "the widths of deltas and scores", input=3)
        merge_all([of_deltas[0], of_scores[0] * 4], "the channels of deltas and four times those of scores", input=3)
        merge_all([of_anchors[0], of_scores[0] * height * width], "the numbers of anchors and of scores", input=1)
        return Shape([self.post_nms_count, 4]), Shape([self.post_nms_count])

    def run(self, im_info: Array, anchors: Array, deltas: Array, scores: Array) -> tuple[Array, Array]:
        by_anchor = deltas.reshape(len(scores), 4, *deltas.shape[1:]).transpose(2, 3, 0, 1).reshape(-1, 4)
        score = scores.transpose(1, 2, 0).reshape(-1)
        boxes = clip(refine(anchors, by_anchor, 1.0, MAX_LOG_SIZE), im_info[0] - 1, im_info[1] - 1)
        large = large_enough(boxes, self.min_size, self.min_size, 1.0)
        before, after, overlap = self.pre_nms_count, self.post_nms_count, partial(iou, apart=True)
        kept, score = suppress(boxes, score, large, self.nms_threshold, overlap, most=before, limit=after)
        rois = np.zeros((self.post_nms_count, 4), scores.dtype)
        best = np.zeros(self.post_nms_count, scores.dtype)
        rois[: len(kept)], best[: len(kept)] = boxes[kept], score
        return rois, best
