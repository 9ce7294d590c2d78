from __future__ import annotations

from irrun.kernels.activation import sigmoid
from irrun.kernels.elementwise import Elementwise
from irrun.ops import op
from irrun.ops._declared.activation.elementwise import Activation


@op("Sigmoid", opset=1)
class Sigmoid(Activation):
    """Logistic function: 1 / (1 + exp(-x))."""

    function = sigmoid

    def elementwise(self) -> Elementwise:
        return Elementwise("sigmoid", (), sigmoid)
