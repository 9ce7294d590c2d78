from __future__ import annotations

from irrun.kernels.activation import hard_sigmoid
from irrun.kernels.casting import in_floats
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.ops.departures import NAN_SELECTED, ON_FLOATS, Departure
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("HardSigmoid", opset=1)
class HardSigmoid(Op):
    """A line clipped to [0, 1]: max(0, min(1, alpha * x + beta))."""

    departures = {
        "parameters": Departure("refuses alpha and beta that are not constant", lambda _, layer: layer.varies(1, 2)),
        "falling": "assumes that alpha is positive",
        "nan": "returns 1 for NaN",
    }
    workarounds = {"parameters": ON_FLOATS, "falling": ON_FLOATS, "nan": NAN_SELECTED}

    inputs = (
        In("data", T),
        In("alpha", T, "slope of the line, a scalar", rank=0),
        In("beta", T, "value of the line at zero, a scalar", rank=0),
    )
    outputs = (Out("output", T),)

    def infer(self, data: Fact, alpha: Fact, beta: Fact) -> Shape:
        return data.shape

    def run(self, data: Array, alpha: Array, beta: Array) -> Array:
        return in_floats(hard_sigmoid, data, alpha, beta)
