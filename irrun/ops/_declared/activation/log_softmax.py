from __future__ import annotations

from irrun.kernels.casting import in_floats
from irrun.kernels.normalization import log_softmax
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.activation.softmax import check_axis
from irrun.ops.departures import NAN_SPREAD
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("LogSoftmax", opset=5, page="log-soft-max-5")
class LogSoftmax(Op):
    """Natural logarithm of the softmax along an axis."""

    departures = {"beside nan": "returns -inf beside NaN and infinity"}
    workarounds = {"beside nan": NAN_SPREAD}
    inputs = (In("data", T),)
    outputs = (Out("output", T),)

    axis: int = attr(1, doc="the axis along which the exponentials add up to one; negative counts from the end")

    def infer(self, data: Fact) -> Shape:
        check_axis(self.axis, data)
        return data.shape

    def run(self, data: Array) -> Array:
        return in_floats(log_softmax, data, self.axis)
