from __future__ import annotations

from typing import Literal

from irrun.kernels.activation import gelu, gelu_tanh
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops._declared.activation.elementwise import FloatActivation
from irrun.tensor.element_type import FLOAT

T = TypeVar("T", FLOAT)


@op("Gelu", opset=2)
class GeluV2(FloatActivation):
    """Gaussian error linear unit, x times the normal distribution function of x, by the error function."""

    departures = {"infinite": "returns NaN for infinity, and infinity for half of the largest numbers"}
    workarounds = {"infinite": "after it, Select(Greater(Abs(x), 10), Maximum(x, 0), result)"}
    function = gelu

    def elementwise(self) -> Elementwise:
        return Elementwise("gelu", (), gelu)


@op("Gelu", opset=7)
class GeluV7(Op):
    """Gaussian error linear unit, x times the normal distribution function of x, exact or approximated."""

    departures = {"infinite": "returns NaN for infinity, and infinity for half of the largest numbers"}
    workarounds = {"infinite": "after it, Select(Greater(Abs(x), 10), Maximum(x, 0), result)"}
    workspace = 8
    inputs = (In("data", T),)
    outputs = (Out("output", T),)

    approximation_mode: Literal["erf", "tanh"] = attr("erf", doc="the formula: error function or hyperbolic tangent")

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        return gelu(data) if self.approximation_mode == "erf" else gelu_tanh(data)

    def elementwise(self) -> Elementwise:
        if self.approximation_mode == "erf":
            return Elementwise("gelu", (), gelu)
        return Elementwise("gelu_tanh", (), gelu_tanh)
