from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Acos", opset=1)
class Acos(FloatFunction):
    """Element-wise inverse cosine, in radians; NaN outside [-1, 1].

    Note: the page does not define integer tensors; results are rounded to nearest, ties away from zero.
    """

    function = np.arccos
