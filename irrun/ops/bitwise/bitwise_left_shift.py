from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.bitwise.base import Shift


@op("BitwiseLeftShift", opset=15)
class BitwiseLeftShift(Shift):
    """Element-wise shift of bits to the left; what is shifted out is lost.

    Note: the page leaves shifts by less than zero, or by the width of the type or more, undefined.
    """

    function = np.left_shift
