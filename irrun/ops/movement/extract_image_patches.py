from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.kernels.windows import pad, view
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import ANY, STRING

T = TypeVar("T", ANY - {STRING})


@op("ExtractImagePatches", opset=3)
class ExtractImagePatches(Op):
    """Collect the patches that a convolution would see, stacked along the channels.

    Channel (row * sizes[1] + column) * depth + channel of the output holds one element of every patch.
    """

    inputs = (In("data", T, "[batch, depth, rows, columns]", rank=4),)
    outputs = (Out("output", T, "[batch, sizes[0] * sizes[1] * depth, rows, columns]"),)

    sizes: tuple[int, ...] = attr(doc="height and width of a patch", ge=1)
    strides: tuple[int, ...] = attr(doc="distance between two patches", ge=1)
    rates: tuple[int, ...] = attr(doc="distance between two elements of a patch", ge=1)
    auto_pad: Literal["same_upper", "same_lower", "valid"] = attr(doc="how zeros are added around the data")

    def verify(self) -> None:
        for name, values in (("sizes", self.sizes), ("strides", self.strides), ("rates", self.rates)):
            if len(values) != 2:
                raise OpError(f"{name} has {len(values)} elements, expected 2 (rows and columns)", attribute=name)

    def infer(self, data: Fact) -> Shape:
        if data.shape.dims is None:
            return Shape.unknown(4)
        batch, depth, *spatial = data.shape.dims
        return Shape([batch, depth * (self.sizes[0] * self.sizes[1]), *map(self._count, range(2), spatial)])

    def run(self, data: Array) -> Array:
        spatial = data.shape[2:]
        counts = [int(self._count(axis, Dim.exactly(size))) for axis, size in enumerate(spatial)]
        begins, ends = [0, 0], [0, 0]
        if self.auto_pad != "valid":
            for axis, size in enumerate(spatial):
                total = max((counts[axis] - 1) * self.strides[axis] + self._span(axis) - size, 0)
                begins[axis] = total // 2 if self.auto_pad == "same_upper" else total - total // 2
                ends[axis] = total - begins[axis]
        padded = pad(data, begins, ends)
        result = np.empty((data.shape[0], *self.sizes, data.shape[1], *counts), data.dtype)
        for row, column in np.ndindex(*self.sizes):
            starts = (row * self.rates[0], column * self.rates[1])
            result[:, row, column] = view(padded, starts, self.strides, counts)
        return result.reshape(data.shape[0], self.sizes[0] * self.sizes[1] * data.shape[1], *counts)

    def _span(self, axis: int) -> int:
        return (self.sizes[axis] - 1) * self.rates[axis] + 1

    def _count(self, axis: int, size: Dim) -> Dim:
        if self.auto_pad == "valid":
            return ((size - self._span(axis)) // self.strides[axis] + 1).maximum(0)
        return size.ceil_div(self.strides[axis])
