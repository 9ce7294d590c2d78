from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fact, In, Op, Out, Shape, attr, op
from irrun.ops._declared.comparison.base import T_FLOAT
from irrun.tensor.element_type import BOOLEAN


@op("IsInf", opset=10, page="isinf-10")
class IsInf(Op):
    """Element-wise test for infinity, of one or both signs."""

    inputs = (In("data", T_FLOAT),)
    outputs = (Out("output", BOOLEAN),)

    detect_negative: bool = attr(True, doc="whether -inf counts")
    detect_positive: bool = attr(True, doc="whether inf counts")

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        negative = np.isneginf(data) if self.detect_negative else False
        positive = np.isposinf(data) if self.detect_positive else False
        return np.broadcast_to(negative | positive, data.shape)
