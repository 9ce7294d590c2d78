from __future__ import annotations

from irrun.kernels.activation import softplus
from irrun.ops import op
from irrun.ops._declared.activation.elementwise import FloatActivation


@op("SoftPlus", opset=4, page="softplus-4")
class SoftPlus(FloatActivation):
    """Smooth version of ReLU: log(1 + exp(x))."""

    function = softplus
