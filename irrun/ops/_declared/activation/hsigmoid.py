from __future__ import annotations

from irrun.kernels.activation import hard_sigmoid
from irrun.kernels.casting import in_floats
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Array, op
from irrun.ops._declared.activation.elementwise import Activation
from irrun.ops.departures import NAN_SELECTED


@op("HSigmoid", opset=5, page="hsigmoid-5")
class HSigmoid(Activation):
    """Hard version of the sigmoid: min(max(x + 3, 0), 6) / 6."""

    departures = {"nan": "returns 0 for NaN"}
    workarounds = {"nan": NAN_SELECTED}

    def run(self, data: Array) -> Array:
        return in_floats(hard_sigmoid, data, 1 / 6, 0.5)

    def elementwise(self) -> Elementwise:
        return Elementwise("hsigmoid", (), lambda x: hard_sigmoid(x, 1 / 6, 0.5))
