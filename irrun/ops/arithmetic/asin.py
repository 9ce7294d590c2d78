from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Asin", opset=1)
class Asin(FloatFunction):
    """Element-wise inverse sine, in radians; NaN outside [-1, 1].

    Note: of an integer tensor the page says nothing; results are rounded to the nearest integer, halves away from zero.
    """

    function = np.arcsin
