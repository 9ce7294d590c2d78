from __future__ import annotations

from irrun.kernels.activation import prelu
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Array, Fact
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedLeakyReLU")
class FusedLeakyReLU(Fused):
    """x, or slope * x where x is negative, with the same slope everywhere."""

    def __init__(self, fact: Fact, slope: float) -> None:
        super().__init__(fact)
        self.slope = slope

    def run(self, data: Array) -> Array:
        return prelu(data, self.slope)

    def elementwise(self) -> Elementwise:
        slope = self.slope
        return Elementwise("prelu", (slope,), lambda x: prelu(x, slope))
