from __future__ import annotations

from irrun.kernels.activation import elu
from irrun.kernels.casting import in_floats
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import FLAGS
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=FLAGS)


@op("Elu", opset=1)
class Elu(Op):
    """Exponential linear unit: x where it is positive, alpha * (exp(x) - 1) elsewhere."""

    inputs = (In("data", T),)
    outputs = (Out("output", T),)

    alpha: float = attr(doc="scale of the negative part", ge=0, openvino=0.0)

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        return in_floats(elu, data, self.alpha)

    def elementwise(self) -> Elementwise:
        alpha = self.alpha
        return Elementwise("elu", (alpha,), lambda x: elu(x, alpha))
