from __future__ import annotations

from typing import Literal

from irrun.kernels.roi_pooling import bilinear_pool, listed, max_pool
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, ranked
from irrun.ops._declared.detection.roi_align import check_batches, check_regions
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("ROIPooling", opset=2, page="roi-pooling-1")
class ROIPooling(Op):
    """Pool regions to a fixed size, by the maximum of each bin or by one bilinear sample.

    Note: a batch index of -1 ends the list of regions, as in the output of Proposal; results after it are 0, as in
    OpenVINO.
    """

    inputs = (
        In("input", T, "[N, C, H, W]", rank=4),
        In("rois", T, "[NUM_ROIS, 5]: batch_id, x1, y1, x2, y2", rank=2),
    )
    outputs = (Out("output", T, "[NUM_ROIS, C, pooled_h, pooled_w]"),)

    pooled_h: int = attr(doc="rows of the output", gt=0)
    pooled_w: int = attr(doc="columns of the output", gt=0)
    spatial_scale: float = attr(doc="size of the feature map by size of the image", gt=0)
    method: Literal["max", "bilinear"] = attr("max", doc="with bilinear, coordinates are from 0 to 1", exact=True)
    output_size: tuple[int, ...] | None = attr(None, doc="pooled_h and pooled_w again; not used")
    output_roi: tuple[int, ...] | None = attr(None, doc="pooled_h and pooled_w again; not used")

    def infer(self, input: Fact, rois: Fact) -> Shape:
        of_rois = ranked(rois, 2)
        expect_size(of_rois[1], 5, "the last size of rois", input=1)
        return Shape([of_rois[0], ranked(input, 4)[1], self.pooled_h, self.pooled_w])

    def run(self, input: Array, rois: Array) -> Array:
        check_batches(listed(rois)[:, 0], len(input), input=1)
        check_regions(listed(rois))
        pooled = (self.pooled_h, self.pooled_w)
        if self.method == "bilinear":
            return bilinear_pool(input, rois, pooled)
        return max_pool(input, rois, pooled, self.spatial_scale)
