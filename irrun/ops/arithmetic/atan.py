from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Atan", opset=1)
class Atan(FloatFunction):
    """Element-wise inverse tangent, in radians.

    Note: of an integer tensor the page says nothing; results are rounded to the nearest integer, halves away from zero.
    """

    function = np.arctan
