from __future__ import annotations

from typing import Final, Literal

import numpy as np

from irrun.kernels.roi import Alignment, align_all, regions_of
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, ranked
from irrun.ops.declaration import MOST_IN_32_BITS
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT, INTEGER

OUTSIDE: Final = "returns NaN for samples outside a map whose first element is NaN or infinite"
_FARTHEST: Final = 2**31
T = TypeVar("T", FLOAT)


@op("ROIAlign", opset=3)
class ROIAlignV3(Op):
    """Pool regions to a fixed size over bilinear samples.

    Note: max starts from 0, as in OpenVINO, so that no output is negative.
    """

    departures = {"beside nan": OUTSIDE}

    inputs = (
        In("input", T, "[N, C, H, W]", rank=4),
        In("rois", T, "[NUM_ROIS, 4]: x1, y1, x2, y2", rank=2),
        In("batch_indices", INTEGER, "[NUM_ROIS]", rank=1),
    )
    outputs = (Out("output", T, "[NUM_ROIS, C, pooled_h, pooled_w]"),)

    pooled_h: int = attr(doc="rows of the output", gt=0, openvino=0, le=MOST_IN_32_BITS)
    pooled_w: int = attr(doc="columns of the output", gt=0, openvino=0, le=MOST_IN_32_BITS)
    sampling_ratio: int = attr(doc="samples along a bin; 0: about one per pixel", ge=0, openvino=0, le=MOST_IN_32_BITS)
    spatial_scale: float = attr(doc="size of the feature map by size of the image", gt=0, openvino=0.0)
    mode: Literal["avg", "max"] = attr(openvino="avg")

    def infer(self, input: Fact, rois: Fact, batch_indices: Fact) -> Shape:
        return aligned_shape(input, rois, batch_indices, 4, (self.pooled_h, self.pooled_w))

    def run(self, input: Array, rois: Array, batch_indices: Array) -> Array:
        check_batches(batch_indices, len(input))
        check_regions(rois)
        regions = regions_of(rois, self.spatial_scale, "asymmetric")
        pooled = (self.pooled_h, self.pooled_w)
        return align_all(input, regions, batch_indices, pooled, self.sampling_ratio, self.mode)


@op("ROIAlign", opset=9)
class ROIAlignV9(Op):
    """Pool regions to a fixed size over bilinear samples.

    Note: max starts from 0, as in OpenVINO, so that no output is negative.
    """

    departures = {"beside nan": OUTSIDE}

    inputs = (
        In("input", T, "[N, C, H, W]", rank=4),
        In("rois", T, "[NUM_ROIS, 4]: x1, y1, x2, y2", rank=2),
        In("batch_indices", INTEGER, "[NUM_ROIS]", rank=1),
    )
    outputs = (Out("output", T, "[NUM_ROIS, C, pooled_h, pooled_w]"),)

    pooled_h: int = attr(doc="rows of the output", gt=0, openvino=0, le=MOST_IN_32_BITS)
    pooled_w: int = attr(doc="columns of the output", gt=0, openvino=0, le=MOST_IN_32_BITS)
    sampling_ratio: int = attr(doc="samples along a bin; 0: about one per pixel", ge=0, openvino=0, le=MOST_IN_32_BITS)
    spatial_scale: float = attr(doc="size of the feature map by size of the image", gt=0, openvino=0.0)
    mode: Literal["avg", "max"] = attr(openvino="avg")
    aligned_mode: Alignment = attr("asymmetric", doc="mapping of coordinates from image to feature map")

    def infer(self, input: Fact, rois: Fact, batch_indices: Fact) -> Shape:
        return aligned_shape(input, rois, batch_indices, 4, (self.pooled_h, self.pooled_w))

    def run(self, input: Array, rois: Array, batch_indices: Array) -> Array:
        check_batches(batch_indices, len(input))
        check_regions(rois)
        regions = regions_of(rois, self.spatial_scale, self.aligned_mode)
        pooled = (self.pooled_h, self.pooled_w)
        return align_all(input, regions, batch_indices, pooled, self.sampling_ratio, self.mode)


def aligned_shape(input: Fact, rois: Fact, batches: Fact, columns: int, pooled: tuple[int, int]) -> Shape:
    """Return [NUM_ROIS, C, *pooled], for rois with this number of columns."""
    of_rois = ranked(rois, 2)
    expect_size(of_rois[1], columns, "the last size of rois", input=1)
    number = merge_dims(of_rois[0], ranked(batches, 1)[0], "the numbers of rois and of batch_indices", input=2)
    return Shape([number, ranked(input, 4)[1], *pooled])


def check_batches(indices: Array, batches: int, *, input: int = 2) -> None:
    """Raise OpError where the batch index of a region is invalid."""
    outside = indices[~((indices >= 0) & (indices < batches))]
    if outside.size:
        raise OpError(f"batch index {outside[0]:.0f} is outside a batch of {batches}", input=input)


def check_regions(rois: Array) -> None:
    """Raise OpError where a coordinate of a region is not finite, or is not a place in any image."""
    outside = rois[~(np.abs(rois) < _FARTHEST)]
    if outside.size:
        raise OpError(f"a region has the coordinate {outside[0]:g}, expected finite numbers below 2^31", input=1)
