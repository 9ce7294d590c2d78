from __future__ import annotations

from irrun.kernels.casting import in_floats
from irrun.kernels.normalization import across_channels
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, attr, op
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC)


@op("GRN", opset=1)
class GRN(Op):
    """Global response normalization: each element divided by the L2 norm across channels, axis 1."""

    departures = {"norm": "returns 0 where the norm is beyond f32"}
    workarounds = {"norm": "Multiply x by 2 ** -64 before, with bias * 2 ** -128"}

    inputs = (In("data", T, "[batch, channels, ...]", rank=(2, 3, 4)),)
    outputs = (Out("output", T),)

    bias: float = attr(doc="added to the sum of squares", ge=0, openvino=1.0)

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        return in_floats(across_channels, data, self.bias)
