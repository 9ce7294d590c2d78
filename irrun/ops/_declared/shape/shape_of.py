from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.ops import REFUSED, Array, Dim, ElementType, Fact, Fold, In, Op, Out, Shape, attr, op
from irrun.tensor.element_type import ANY, I64


@op("ShapeOf", opset=1)
class ShapeOfV1(Op):
    """The shape of a tensor, as a tensor of i64."""

    inputs = (In("data", ANY),)
    outputs = (Out("output", I64),)
    foldable = Fold.DIMS

    def infer(self, data: Fact) -> Fact:
        return _fact(data.shape, I64)

    def run(self, data: Array) -> Array:
        return np.array(data.shape, dtype=np.int64)


@op("ShapeOf", opset=3)
class ShapeOfV3(Op):
    """The shape of a tensor, as a tensor of integers."""

    inputs = (In("data", ANY),)
    outputs = (Out("output", "output_type"),)
    foldable = Fold.DIMS

    output_type: Literal["i64", "i32"] = attr("i64", doc="the element type of the result", openvino=REFUSED)

    def infer(self, data: Fact) -> Fact:
        return _fact(data.shape, ElementType.named(self.output_type))

    def run(self, data: Array) -> Array:
        return np.array(data.shape, dtype=np.int64)


def _fact(shape: Shape, type: ElementType) -> Fact:
    if shape.dims is None:
        return Fact(type, Shape([Dim()]))
    if shape.is_static:
        return Fact.of(type, np.array(shape.static, dtype=np.int64).astype(type.dtype))
    dims = np.empty(len(shape), dtype=object)
    dims[:] = shape.dims
    return Fact(type, Shape(dims.shape), dims)
