from __future__ import annotations

from typing import Literal

import numpy as np

from irrun.diagnostics import amount
from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.shapes import axes_of, normalize_axis
from irrun.tensor.element_type import ANY, BOOLEAN, INTEGER

T = TypeVar("T1", ANY)


@op("Reverse", opset=1)
class Reverse(Op):
    """Reverse the elements of a tensor along listed or marked axes."""

    inputs = (
        In("data", T),
        In("axis", INTEGER | {BOOLEAN}, "the axes (index), or true for each axis that is reversed (mask)", rank=1),
    )
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    mode: Literal["index", "mask"] = attr(doc="content of the axis input", openvino="index")

    def infer(self, data: Fact, axis: Fact) -> Shape:
        expected = "boolean" if self.mode == "mask" else "integer"
        if axis.type.is_known and (axis.type.kind == "boolean") != (self.mode == "mask"):
            raise OpError(f"input 1 (axis) is {axis.type}, expected {expected} as mode is {self.mode}", input=1)
        if data.rank is None:
            return data.shape
        if self.mode == "index":
            axes_of(axis, data.rank, input=1)
        elif axis.shape.dims is not None and not axis.shape[0].admits(data.rank):
            raise OpError(
                f"axis has {amount(axis.shape[0], 'element')}, expected {data.rank}, the rank of data", input=1
            )
        return data.shape

    def run(self, data: Array, axis: Array) -> Array:
        if self.mode == "mask":
            return np.flip(data, tuple(np.flatnonzero(axis).tolist()))
        listed = {normalize_axis(int(item), data.ndim, attribute=None, input=1) for item in axis.tolist()}
        return np.flip(data, tuple(listed))
