from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Acos", opset=1)
class Acos(FloatFunction):
    """Element-wise inverse cosine, in radians; NaN outside [-1, 1].

    Note: of an integer tensor the page says nothing; results are rounded to the nearest integer, halves away from zero.
    """

    function = np.arccos
