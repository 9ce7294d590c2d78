from __future__ import annotations

import math
from typing import Literal

from irrun.diagnostics import amount
from irrun.kernels.roi_pooling import deformable, listed
from irrun.ops import Array, Fact, In, Legacy, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.detection.boxes import expect_size, ranked
from irrun.ops._declared.detection.roi_align import check_batches, check_regions
from irrun.ops.declaration import FLAGS_FLOATED
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("DeformablePSROIPooling", opset=1)
class DeformablePSROIPooling(Op):
    """Pool regions to a fixed size, each bin from a separate input channel and moved by an offset.

    Note: a batch index of -1 ends the list of regions, as in the output of Proposal; results after it are 0, as in
    OpenVINO. Other indices beyond the batch are refused; OpenVINO does not check them. The page gives offsets two
    sizes, part_size and group_size. Of offsets [NUM_ROIS, 2 * NUM_CLASSES, group_size, group_size] with a smaller
    part_size, the first elements in memory are those of part_size, as in OpenVINO.
    """

    inputs = (
        In("input", T, "[N_in, C_in, H_in, W_in]", rank=4),
        In("coords", FLOAT, "[NUM_ROIS, 5]: batch_id, x1, y1, x2, y2", rank=2, also=FLAGS_FLOATED),
        In(
            "offsets",
            FLOAT,
            "[NUM_ROIS, 2 * NUM_CLASSES, part_size, part_size]",
            optional=True,
            rank=4,
            also=FLAGS_FLOATED,
        ),
    )
    outputs = (Out("output", T, "[NUM_ROIS, output_dim, group_size, group_size]"),)
    legacy = (
        Legacy("pooled_height", "pooled_width", since="2019 R2", until="2021.2"),
        Legacy("no_trans", since="2019 R2", until="2020.4"),
    )

    output_dim: int = attr(doc="channels of the output", gt=0)
    spatial_scale: float = attr(doc="size of the feature map by size of the image", gt=0, openvino=0.0)
    group_size: int = attr(1, doc="rows and columns of the output", gt=0)
    mode: Literal["bilinear_deformable"] = attr("bilinear_deformable", exact=True)
    spatial_bins_x: int = attr(1, doc="samples over the width of a bin", gt=0)
    spatial_bins_y: int = attr(1, doc="samples over the height of a bin", gt=0)
    trans_std: float = attr(1.0, doc="factor of the offsets")
    part_size: int = attr(1, doc="rows and columns of the offsets", gt=0)

    def infer(self, input: Fact, coords: Fact, offsets: Fact | None) -> Shape:
        channels, least = ranked(input, 4)[1], self.output_dim * self.group_size**2
        if channels.hi < least:
            raise OpError(
                f"input has {amount(channels, 'channel')}, expected at least {least}"
                " (output_dim * group_size * group_size)",
                input=0,
            )
        of_coords = ranked(coords, 2)
        expect_size(of_coords[1], 5, "the last size of coords", input=1)
        number = of_coords[0]
        if offsets is not None:
            of_offsets = ranked(offsets, 4)
            number = merge_dims(number, of_offsets[0], "the numbers of coords and of offsets", input=2)
            pairs = of_offsets[1]
            if pairs.is_static and (pairs.lo == 0 or pairs.lo % 2):
                raise OpError(f"offsets has {amount(pairs, 'channel')}, expected a pair for each class", input=2)
            for size, name in ((of_offsets[2], "height"), (of_offsets[3], "width")):
                if not (self.part_size <= self.group_size and size.admits(self.group_size)):
                    expect_size(size, self.part_size, f"the {name} of offsets", input=2)
        return Shape([number, self.output_dim, self.group_size, self.group_size])

    def run(self, input: Array, coords: Array, offsets: Array | None) -> Array:
        check_batches(listed(coords)[:, 0], len(input), input=1)
        check_regions(listed(coords))
        if offsets is not None and offsets.shape[2:] != (self.part_size, self.part_size):
            shape = *offsets.shape[:2], self.part_size, self.part_size
            offsets = offsets.reshape(-1)[: math.prod(shape)].reshape(shape)
        moves = None if offsets is None else offsets * offsets.dtype.type(self.trans_std)
        return deformable(
            input,
            coords,
            moves,
            self.output_dim,
            self.group_size,
            self.spatial_scale,
            (self.spatial_bins_y, self.spatial_bins_x),
        )
