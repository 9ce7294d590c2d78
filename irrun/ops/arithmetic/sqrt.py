from __future__ import annotations

import numpy as np

from irrun.kernels.casting import integer_sqrt
from irrun.ops import Array, op
from irrun.ops.arithmetic.elementwise import Unary


@op("Sqrt", opset=1)
class Sqrt(Unary):
    """Element-wise square root; of integers the nearest integer to it.

    Note: of a negative number the page leaves the result undefined; it is NaN, of an integer the smallest of its type.
    """

    function = np.sqrt

    def run(self, data: Array) -> Array:
        return np.sqrt(data) if data.dtype.kind == "f" else integer_sqrt(data)
