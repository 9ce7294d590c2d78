from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from irrun.kernels.nms import by_score, iou, suppress
from irrun.kernels.proposal import MAX_LOG_SIZE, clip, large_enough, refine
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, merge_all, ranked, up_to
from irrun.ops.declaration import FLAGS_FLOATED
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("GenerateProposals", opset=9)
class GenerateProposals(Op):
    """Move and scale anchors by predicted deltas, and select the best by score, for each image."""

    departures = {"nms_eta": "refuses an nms_eta other than 1"}

    alike = ((0, 1),)
    inputs = (
        In("im_info", T, "[num_batches, 3] or [num_batches, 4]: height, width, and a scale for both or each", rank=2),
        In("anchors", FLOAT, "[height, width, number_of_anchors, 4]", rank=4, also=FLAGS_FLOATED),
        In("boxesdeltas", FLOAT, "[num_batches, number_of_anchors * 4, height, width]", rank=4, also=FLAGS_FLOATED),
        In("scores", FLOAT, "[num_batches, number_of_anchors, height, width]", rank=4, also=FLAGS_FLOATED),
    )
    outputs = (
        Out("rpnrois", T, "[num_rois, 4], image after image"),
        Out("rpnscores", T, "[num_rois]"),
        Out("rpnroisnum", "roi_num_type", "[num_batches]: the number of rois of each image"),
    )

    min_size: float = attr(doc="the least side of a box, before the scale of the image", ge=0, openvino=0.0)
    nms_threshold: float = attr(doc="the overlap above which a box is suppressed", ge=0, openvino=0.0)
    pre_nms_count: int = attr(doc="maximum number of boxes of an image before suppression", ge=0)
    post_nms_count: int = attr(doc="maximum number of boxes of an image after suppression", ge=0)
    normalized: bool = attr(True, doc="whether boxes are normalized; otherwise sides are longer by 1")
    nms_eta: float = attr(1.0, doc="factor of an nms_threshold above 0.5 at each kept box", ge=0, le=1)
    roi_num_type: Literal["i64", "i32"] = attr("i64")

    def infer(self, im_info: Fact, anchors: Fact, deltas: Fact, scores: Fact) -> tuple[Shape, Shape, Shape]:
        of_info, of_anchors, of_deltas, of_scores = (
            ranked(fact, rank) for fact, rank in ((im_info, 2), (anchors, 4), (deltas, 4), (scores, 4))
        )
        if not of_info[1].admits(3) and not of_info[1].admits(4):
            raise OpError(f"im_info has {of_info[1]} columns, expected 3 or 4", input=0)
        expect_size(of_anchors[3], 4, "the last size of anchors", input=1)
        merge_all([of_anchors[0], of_deltas[2], of_scores[2]], "the heights of anchors, boxesdeltas and scores")
        merge_all([of_anchors[1], of_deltas[3], of_scores[3]], "the widths of anchors, boxesdeltas and scores")
        count = merge_all([of_anchors[2], of_scores[1]], "the numbers of anchors of anchors and scores", input=3)
        merge_all(
            [count * 4, of_deltas[1]], "four times the number of anchors and the channels of boxesdeltas", input=2
        )
        images = merge_all(
            [of_info[0], of_deltas[0], of_scores[0]], "the numbers of batches of im_info, boxesdeltas and scores"
        )
        rows = up_to(images * self.post_nms_count)
        return Shape([rows, 4]), Shape([rows]), Shape([images])

    def run(self, im_info: Array, anchors: Array, deltas: Array, scores: Array) -> tuple[Array, Array, Array]:
        chosen = [self._choose(*of_image, anchors) for of_image in zip(im_info, deltas, scores, strict=True)]
        boxes = [np.zeros((0, 4), scores.dtype), *(boxes for boxes, _ in chosen)]
        best = [np.zeros(0, scores.dtype), *(best for _, best in chosen)]
        return np.concatenate(boxes), np.concatenate(best), np.array([len(boxes) for boxes, _ in chosen], np.int64)

    def _choose(self, info: Array, deltas: Array, scores: Array, anchors: Array) -> tuple[Array, Array]:
        """Return the boxes proposed for one image, best first, and their scores."""
        unit = 0.0 if self.normalized else 1.0
        by_anchor = deltas.reshape(anchors.shape[2], 4, *deltas.shape[1:]).transpose(2, 3, 0, 1).reshape(-1, 4)
        score = scores.transpose(1, 2, 0).reshape(-1)
        order = by_score(score)[: self.pre_nms_count]
        boxes = refine(anchors.reshape(-1, 4)[order], by_anchor[order], unit, MAX_LOG_SIZE)
        boxes = clip(boxes, info[0] - unit, info[1] - unit)
        large = large_enough(boxes, self.min_size * info[2], self.min_size * info[-1], unit)
        overlap, limit, eta = partial(iou, unit=unit, apart=True), self.post_nms_count, self.nms_eta
        kept, score = suppress(boxes, score[order], large, self.nms_threshold, overlap, limit=limit, eta=eta)
        return boxes[kept], score
