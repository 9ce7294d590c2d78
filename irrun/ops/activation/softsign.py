from __future__ import annotations

import numpy as np

from irrun.ops import Array, op
from irrun.ops.activation.elementwise import FloatActivation


@op("SoftSign", opset=9, page="softsign-9")
class SoftSign(FloatActivation):
    """x / (1 + abs(x))."""

    def run(self, data: Array) -> Array:
        result = np.abs(data, out=np.empty_like(data))
        result += 1
        return np.divide(data, result, out=result)
