from __future__ import annotations

from typing import Literal

from irrun.kernels.blocks import space_to_depth
from irrun.ops import REFUSED, Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import exact_quotient, has_multiple
from irrun.tensor.element_type import ANY

T = TypeVar("T", ANY)


@op("SpaceToDepth", opset=1)
class SpaceToDepth(Op):
    """Move blocks of the spatial axes into channels."""

    inputs = (In("data", T, "[N, C, D1, ...], of rank 3 or more"),)
    outputs = (Out("output", T, "[N, C * block_size^K, D1 / block_size, ...]"),)

    block_size: int = attr(1, doc="the size of a block along each spatial axis", ge=1, openvino=REFUSED)
    mode: Literal["blocks_first", "depth_first"] = attr(
        doc="order of blocks and depth within the channels", openvino="blocks_first"
    )

    def infer(self, data: Fact) -> Shape:
        if data.shape.dims is None:
            return data.shape
        if len(data.shape) < 3:
            raise OpError(f"data have rank {len(data.shape)}, expected 3 or more", input=0)
        batch, channels, *sizes = data.shape
        for axis, size in enumerate(sizes, start=2):
            if not has_multiple(size, self.block_size):
                raise OpError(
                    f"axis {axis} of size {size} does not divide into blocks of {self.block_size}",
                    attribute="block_size",
                )
        grid = [exact_quotient(size, self.block_size) for size in sizes]
        return Shape([batch, channels * self.block_size ** len(sizes), *grid])

    def run(self, data: Array) -> Array:
        return space_to_depth(data, self.block_size, depth_first=self.mode == "depth_first")
