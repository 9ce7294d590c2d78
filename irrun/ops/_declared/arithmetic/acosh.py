from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Acosh", opset=4, page="acosh-3")
class Acosh(FloatFunction):
    """Element-wise inverse hyperbolic cosine; NaN below 1.

    Note: the page does not define integer tensors; results are rounded to nearest, ties away from zero.
    """

    function = np.arccosh
