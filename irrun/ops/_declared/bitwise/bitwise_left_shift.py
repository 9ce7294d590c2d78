from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.bitwise.base import Shift


@op("BitwiseLeftShift", opset=15)
class BitwiseLeftShift(Shift):
    """Element-wise left shift of bits; bits shifted out are lost.

    Note: the page leaves shifts by negative numbers, or by the width of the type or more, undefined.
    """

    function = np.left_shift
