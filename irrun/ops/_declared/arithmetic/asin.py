from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Asin", opset=1)
class Asin(FloatFunction):
    """Element-wise inverse sine, in radians; NaN outside [-1, 1].

    Note: the page does not define integer tensors; results are rounded to nearest, ties away from zero.
    """

    function = np.arcsin
