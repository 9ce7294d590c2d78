from __future__ import annotations

from irrun.kernels.activation import swish
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("Swish", opset=4)
class Swish(Op):
    """Swish function: x * sigmoid(beta * x)."""

    workspace = 8
    inputs = (
        In("data", T),
        In("beta", T, "factor inside the sigmoid, a scalar; 1 where absent", optional=True, rank=0),
    )
    outputs = (Out("output", T),)

    def infer(self, data: Fact, beta: Fact | None) -> Shape:
        return data.shape

    def run(self, data: Array, beta: Array | None) -> Array:
        return swish(data, beta)

    def elementwise(self) -> Elementwise:
        return Elementwise("swish", (), swish)
