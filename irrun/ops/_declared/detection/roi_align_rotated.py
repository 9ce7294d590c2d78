from __future__ import annotations

from irrun.kernels.roi import align_all, rotated_regions_of
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.roi_align import aligned_shape, check_batches, check_regions
from irrun.ops.declaration import MOST_IN_32_BITS
from irrun.tensor.element_type import FLOAT, INTEGER

T = TypeVar("T", FLOAT)


@op("ROIAlignRotated", opset=15)
class ROIAlignRotated(Op):
    """Pool rotated regions to a fixed size over the mean of bilinear samples."""

    inputs = (
        In("input", T, "[N, C, H, W]", rank=4),
        In("rois", T, "[NUM_ROIS, 5]: center_x, center_y, width, height, angle in radians", rank=2),
        In("batch_indices", INTEGER, "[NUM_ROIS]", rank=1),
    )
    outputs = (Out("output", T, "[NUM_ROIS, C, pooled_h, pooled_w]"),)

    pooled_h: int = attr(doc="rows of the output", gt=0, openvino=0, le=MOST_IN_32_BITS)
    pooled_w: int = attr(doc="columns of the output", gt=0, openvino=0, le=MOST_IN_32_BITS)
    sampling_ratio: int = attr(doc="samples along a bin; 0: about one per pixel", ge=0, openvino=0, le=MOST_IN_32_BITS)
    spatial_scale: float = attr(doc="size of the feature map by size of the image", gt=0, openvino=0.0)
    clockwise_mode: bool = attr(False, doc="whether positive angles turn clockwise")

    def infer(self, input: Fact, rois: Fact, batch_indices: Fact) -> Shape:
        return aligned_shape(input, rois, batch_indices, 5, (self.pooled_h, self.pooled_w))

    def run(self, input: Array, rois: Array, batch_indices: Array) -> Array:
        check_batches(batch_indices, len(input))
        check_regions(rois)
        regions = rotated_regions_of(rois, self.spatial_scale, self.clockwise_mode)
        return align_all(input, regions, batch_indices, (self.pooled_h, self.pooled_w), self.sampling_ratio)
