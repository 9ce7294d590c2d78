from __future__ import annotations

from irrun.kernels.activation import prelu
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Array
from irrun.ops._declared.fused.base import Fused, fused


@fused("FusedLeakyReLU")
class FusedLeakyReLU(Fused):
    """x, or slope * x where x is negative, with the same slope everywhere."""

    slope: float

    def run(self, data: Array) -> Array:
        return prelu(data, self.slope)

    def elementwise(self) -> Elementwise:
        slope = self.slope
        return Elementwise("prelu", (slope,), lambda x: prelu(x, slope))
