"""An operation of your own: `irrun run model.xml --random --extension my_ops.py`."""

import numpy as np

from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("SoftShrink", opset="extension")
class SoftShrink(Op):
    """Move every element towards zero by a threshold, and to zero if it is closer than that."""

    inputs = (In("data", T),)
    outputs = (Out("output", T),)

    lambd: float = attr(0.5, ge=0, doc="the threshold")

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        return (np.sign(data) * np.maximum(np.abs(data) - self.lambd, 0)).astype(data.dtype)
