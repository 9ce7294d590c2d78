from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Tan", opset=1)
class Tan(FloatFunction):
    """Element-wise tangent of an angle in radians.

    Of an integer tensor, results are rounded to the nearest integer, halves away from zero.
    """

    function = np.tan
