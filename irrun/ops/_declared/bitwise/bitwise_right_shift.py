from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.bitwise.base import Shift


@op("BitwiseRightShift", opset=15)
class BitwiseRightShift(Shift):
    """Element-wise right shift of bits; signed integers keep their sign.

    Note: the page leaves shifts by negative numbers, or by the width of the type or more, undefined.
    """

    function = np.right_shift
