from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Atan", opset=1)
class Atan(FloatFunction):
    """Element-wise inverse tangent, in radians.

    Note: the page does not define integer tensors; results are rounded to nearest, ties away from zero.
    """

    function = np.arctan
