from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import FloatFunction
from irrun.ops.departures import IN_F32


@op("Sin", opset=1)
class Sin(FloatFunction):
    """Element-wise sine of an angle in radians.

    Note: the page does not define integer tensors; results are truncated toward zero, as in OpenVINO's constant
    folding. Its CPU plugin rounds them to nearest.
    """

    departures = {"integers": "rounds the results of integers to nearest; the page does not define them"}
    workarounds = {"integers": IN_F32}

    function = np.sin
    whole = np.trunc
