from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.bitwise.base import Bitwise


@op("BitwiseOr", opset=13)
class BitwiseOr(Bitwise):
    """Element-wise disjunction of bits."""

    function = np.bitwise_or
