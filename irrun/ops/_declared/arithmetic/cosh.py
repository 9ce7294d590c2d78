from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction


@op("Cosh", opset=1)
class Cosh(FloatFunction):
    """Element-wise hyperbolic cosine.

    Note: the page does not define integer tensors; results are rounded to nearest, ties away from zero.
    """

    departures = {"integers": "computes other results for integers, which the page does not define"}
    function = np.cosh
