from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Sinh", opset=1)
class Sinh(FloatFunction):
    """Element-wise hyperbolic sine.

    Note: of an integer tensor the page says nothing; results are rounded to the nearest integer, halves away from zero.
    """

    function = np.sinh
