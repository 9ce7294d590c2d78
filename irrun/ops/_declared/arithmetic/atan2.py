from __future__ import annotations

import numpy as np

from irrun.ops import In, Out, op
from irrun.ops._declared.arithmetic.elementwise import T_FLOAT, Binary


@op("Atan2", opset=17)
class Atan2(Binary):
    """Element-wise angle of the point (x, y) in radians, in [-π, π]."""

    inputs = (In("y", T_FLOAT, "the ordinates"), In("x", T_FLOAT, "the abscissas"))
    outputs = (Out("output", T_FLOAT),)
    function = np.arctan2
