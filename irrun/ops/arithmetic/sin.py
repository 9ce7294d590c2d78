from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Sin", opset=1)
class Sin(FloatFunction):
    """Element-wise sine of an angle in radians.

    Note: of an integer tensor the page says nothing; results are truncated toward zero, as OpenVINO folds constants.
    The native CPU plugin rounds them to the nearest integer.
    """

    departures = {"integers": "rounds the results of integers to nearest, of which the page says nothing"}

    function = np.sin
    whole = np.trunc
