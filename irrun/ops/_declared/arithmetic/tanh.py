from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Tanh", opset=1)
class Tanh(FloatFunction):
    """Element-wise hyperbolic tangent.

    Results for integers are rounded to nearest.
    """

    function = np.tanh
