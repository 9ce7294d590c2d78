from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Tanh", opset=1)
class Tanh(FloatFunction):
    """Element-wise hyperbolic tangent.

    Of an integer tensor, results are rounded to the nearest integer.
    """

    function = np.tanh
