from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Asinh", opset=4, page="asinh-3")
class Asinh(FloatFunction):
    """Element-wise inverse hyperbolic sine.

    Note: the page does not define integer tensors; results are rounded to nearest, ties away from zero.
    """

    function = np.arcsinh
