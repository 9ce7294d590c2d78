from __future__ import annotations

from typing import Literal

from irrun.diagnostics import amount
from irrun.kernels.roi_pooling import average_by_position, bilinear_by_position, listed
from irrun.ops import REFUSED, Array, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, ranked
from irrun.ops._declared.detection.roi_align import check_batches, check_regions
from irrun.ops.declaration import MOST_IN_32_BITS
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("PSROIPooling", opset=1)
class PSROIPooling(Op):
    """Pool regions to a fixed size, each bin from separate input channels.

    Note: a batch index of -1 ends the list of regions, as in the output of Proposal; results after it are 0, as in
    OpenVINO.
    """

    inputs = (
        In("input", T, "[N, C, H, W]", rank=4),
        In("coords", FLOAT, "[num_boxes, 5]: batch_id, x1, y1, x2, y2", rank=2),
    )
    outputs = (Out("output", T, "[num_boxes, output_dim, group_size, group_size]"),)
    legacy = (
        Legacy("pooled_height", "pooled_width", since="2019 R2", until="2021.2"),
        Legacy("no_trans", "part_size", "trans_std", since="2019 R2", until="2020.4"),
    )

    output_dim: int = attr(doc="channels of the output", gt=0)
    group_size: int = attr(1, doc="rows and columns of the output", gt=0, openvino=REFUSED)
    spatial_scale: float = attr(doc="factor of coordinates", gt=0)
    mode: Literal["average", "bilinear"] = attr(
        "average", doc="with bilinear, coordinates are from 0 to 1", openvino=REFUSED, exact=True
    )
    spatial_bins_x: int = attr(
        1, doc="samples over the width, for bilinear, where 0 is refused", ge=0, le=MOST_IN_32_BITS
    )
    spatial_bins_y: int = attr(
        1, doc="samples over the height, for bilinear, where 0 is refused", ge=0, le=MOST_IN_32_BITS
    )

    def verify(self) -> None:
        for name in ("spatial_bins_x", "spatial_bins_y"):
            if self.mode == "bilinear" and getattr(self, name) == 0:
                raise OpError(f"{name} is 0, expected > 0 for mode bilinear", attribute=name)

    def infer(self, input: Fact, coords: Fact) -> Shape:
        channels = ranked(input, 4)[1]
        average = self.mode == "average"
        maps = self.group_size**2 if average else self.spatial_bins_x * self.spatial_bins_y
        if channels.is_static and (channels.lo < self.output_dim * maps or channels.lo % (self.output_dim * maps)):
            factors = "group_size * group_size" if average else "spatial_bins_x * spatial_bins_y"
            raise OpError(
                f"input has {amount(channels, 'channel')}, expected a multiple of {self.output_dim * maps}"
                f" (output_dim * {factors})",
                input=0,
            )
        of_coords = ranked(coords, 2)
        expect_size(of_coords[1], 5, "the last size of coords", input=1)
        return Shape([of_coords[0], self.output_dim, self.group_size, self.group_size])

    def run(self, input: Array, coords: Array) -> Array:
        check_batches(listed(coords)[:, 0], len(input), input=1)
        check_regions(listed(coords))
        if self.mode == "average":
            return average_by_position(input, coords, self.output_dim, self.group_size, self.spatial_scale)
        bins = (self.spatial_bins_y, self.spatial_bins_x)
        return bilinear_by_position(input, coords, self.output_dim, self.group_size, self.spatial_scale, bins)
