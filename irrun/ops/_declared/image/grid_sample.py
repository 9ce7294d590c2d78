from __future__ import annotations

from typing import Literal

from irrun.diagnostics import amount
from irrun.kernels.grid_sample import grid_sample
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import known_dims, merge_dims
from irrun.tensor.element_type import BOOLEAN, FLOAT, NUMERIC

T = TypeVar("T", NUMERIC | {BOOLEAN})


@op("GridSample", opset=9)
class GridSample(Op):
    """Sample an image at the places of a grid, which holds pairs (x, y) between -1 and 1.

    Note: nearest rounds ties to even; places outside are mapped back after rounding to whole elements. As in OpenVINO,
    results of 8-bit integers and booleans are rounded to nearest, those of wider integers toward zero.
    """

    departures = {"nan": "samples other elements where the grid is NaN, which the page does not define"}

    inputs = (
        In("data", T, "[N, C, H, W]", rank=4),
        In("grid", FLOAT, "[N, H_out, W_out, 2]", rank=4),
    )
    outputs = (Out("output", T, "[N, C, H_out, W_out]"),)

    align_corners: bool = attr(
        False, doc="whether -1 and 1 are the centers of the border elements instead of their outer edges"
    )
    mode: Literal["bilinear", "bicubic", "nearest"] = attr("bilinear", doc="kind of interpolation")
    padding_mode: Literal["zeros", "border", "reflection"] = attr("zeros", doc="values outside the image")

    def infer(self, data: Fact, grid: Fact) -> Shape:
        batch, channels, *_ = known_dims(data.shape, 4)
        if grid.shape.dims is None:
            return Shape([batch, channels, *Shape.unknown(2)])
        count, height, width, pair = grid.shape
        if not pair.admits(2):
            raise OpError(f"the last axis of grid has {amount(pair, 'element')}, expected 2 (x and y)", input=1)
        return Shape([merge_dims(batch, count, "batch of data and grid", input=1), channels, height, width])

    def run(self, data: Array, grid: Array) -> Array:
        return grid_sample(data, grid, self.mode, self.padding_mode, self.align_corners)
