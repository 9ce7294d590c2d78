from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction
from irrun.ops.departures import IN_F32


@op("Sinh", opset=1)
class Sinh(FloatFunction):
    """Element-wise hyperbolic sine.

    Note: the page does not define integer tensors; results are rounded to nearest, ties away from zero.
    """

    departures = {"integers": "computes other results for integers, which the page does not define"}
    workarounds = {"integers": IN_F32}
    function = np.sinh
