from __future__ import annotations

import numpy as np

from irrun.kernels.nms import by_score
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, ranked
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("ExperimentalDetectronTopKROIs", opset=6, page="experimental-detectron-top-krois-6")
class ExperimentalDetectronTopKROIs(Op):
    """Select the regions of highest probability, in descending order.

    Note: with fewer regions than max_rois, the output is padded with zeros; the page leaves the rest undefined.
    """

    inputs = (
        In("rois", T, "[number_of_ROIs, 4]", rank=2),
        In("probabilities", T, "[number_of_ROIs]", rank=1),
    )
    outputs = (Out("top_rois", T, "[max_rois, 4]"),)

    max_rois: int = attr(0, doc="the number of regions to choose", ge=0)

    def infer(self, rois: Fact, probabilities: Fact) -> Shape:
        of_rois = ranked(rois, 2)
        expect_size(of_rois[1], 4, "the last size of rois", input=0)
        merge_dims(of_rois[0], ranked(probabilities, 1)[0], "the numbers of rois and of probabilities", input=1)
        return Shape([self.max_rois, 4])

    def run(self, rois: Array, probabilities: Array) -> Array:
        best = rois[by_score(probabilities)[: self.max_rois]]
        result = np.zeros((self.max_rois, 4), rois.dtype)
        result[: len(best)] = best
        return result
