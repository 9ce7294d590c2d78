from __future__ import annotations

from irrun.kernels.activation import softsign
from irrun.ops import op
from irrun.ops._declared.activation.elementwise import FloatActivation


@op("SoftSign", opset=9, page="softsign-9")
class SoftSign(FloatActivation):
    """Softsign function: x / (1 + abs(x))."""

    function = softsign
