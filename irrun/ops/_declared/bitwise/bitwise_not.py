from __future__ import annotations

import numpy as np

from irrun.ops import In, Out, op
from irrun.ops._declared.arithmetic.elementwise import Unary
from irrun.ops._declared.bitwise.base import T


@op("BitwiseNot", opset=13)
class BitwiseNot(Unary):
    """Element-wise negation of bits, or of booleans."""

    inputs = (In("data", T),)
    outputs = (Out("output", T),)
    function = np.invert
