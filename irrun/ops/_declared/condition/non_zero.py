from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.ops import Array, Dim, Fact, In, Op, Out, Shape, attr, op
from irrun.tensor.element_type import ANY


@op("NonZero", opset=3, page="nonzero-3")
class NonZero(Op):
    """The indices of nonzero elements, one column for each, in row-major order."""

    departures = {"scalar": "returns the shape [1,1] for a scalar that is not zero; by the page it is [0,1]"}

    inputs = (In("data", ANY),)
    outputs = (Out("output", "output_type", "[rank, number of elements that are not zero]"),)

    output_type: Literal["i64", "i32"] = attr("i64", doc="type of the indices")

    def infer(self, data: Fact) -> Shape:
        if data.shape.dims is None:
            return Shape.unknown(2)
        if data.constant is not None:
            return Shape([len(data.shape), int(np.count_nonzero(data.constant))])
        return Shape([len(data.shape), Dim(0, data.shape.size.hi)])

    def run(self, data: Array) -> Array:
        return np.argwhere(data).T
