from __future__ import annotations

from irrun.kernels.activation import mish
from irrun.ops import op
from irrun.ops._declared.activation.elementwise import FloatActivation


@op("Mish", opset=4)
class Mish(FloatActivation):
    """Self regularized non-monotonic activation: x * tanh(log(1 + exp(x)))."""

    function = mish
