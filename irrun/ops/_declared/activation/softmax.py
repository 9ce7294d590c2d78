from __future__ import annotations

from irrun.kernels.casting import in_floats
from irrun.kernels.normalization import softmax
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops.departures import NAN_SPREAD
from irrun.ops.shapes import normalize_axis
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("SoftMax", opset=1, page="softmax-1")
class SoftMaxV1(Op):
    """Exponentials along an axis, divided by their sum."""

    departures = {"beside nan": "returns 0 beside NaN and infinity"}
    workarounds = {"beside nan": NAN_SPREAD}
    workspace = 8
    inputs = (In("data", T),)
    outputs = (Out("output", T),)

    axis: int = attr(1, doc="the axis along which the results add up to one", ge=0, openvino=0)

    def infer(self, data: Fact) -> Shape:
        check_axis(self.axis, data)
        return data.shape

    def run(self, data: Array) -> Array:
        return in_floats(softmax, data, self.axis)


@op("SoftMax", opset=8, page="softmax-8")
class SoftMaxV8(Op):
    """Exponentials along an axis, divided by their sum."""

    departures = {"beside nan": "returns 0 beside NaN and infinity"}
    workarounds = {"beside nan": NAN_SPREAD}
    workspace = 8
    inputs = (In("data", T),)
    outputs = (Out("output", T),)

    axis: int = attr(1, doc="the axis along which the results add up to one; negative counts from the end")

    def infer(self, data: Fact) -> Shape:
        check_axis(self.axis, data)
        return data.shape

    def run(self, data: Array) -> Array:
        return in_floats(softmax, data, self.axis)


def check_axis(axis: int, data: Fact) -> None:
    """Raise OpError where the tensor does not have the axis; a scalar counts as 1D."""
    if data.rank is not None:
        normalize_axis(axis, max(data.rank, 1))
