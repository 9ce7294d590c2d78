from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Tan", opset=1)
class Tan(FloatFunction):
    """Element-wise tangent of an angle in radians.

    Results for integers are rounded to nearest, ties away from zero.
    """

    departures = {"integers": "computes other results for integers, which the page does not define"}
    function = np.tan
