from __future__ import annotations

import numpy as np

from irrun.kernels.casting import integer_sqrt
from irrun.ops import Array, op
from irrun.ops._declared.arithmetic.elementwise import Unary


@op("Sqrt", opset=1)
class Sqrt(Unary):
    """Element-wise square root; integer roots are rounded to nearest.

    Note: the page leaves the root of a negative number undefined; it is NaN, or the lowest integer.
    """

    function = np.sqrt

    def run(self, data: Array) -> Array:
        return np.sqrt(data) if data.dtype.kind == "f" else integer_sqrt(data)
