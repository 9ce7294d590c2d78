from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import FloatFunction


@op("Log", opset=1)
class Log(FloatFunction):
    """Element-wise natural logarithm; -inf of zero, NaN below.

    Note: of an integer tensor the page says nothing; results are truncated toward zero, as OpenVINO folds constants.
    The native CPU plugin rounds them to the nearest integer.
    """

    departures = {"integers": "rounds the results of integers to nearest, of which the page says nothing"}

    function = np.log
    whole = np.trunc
