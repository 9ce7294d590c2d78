from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.bitwise.base import Bitwise


@op("BitwiseXor", opset=13)
class BitwiseXor(Bitwise):
    """Element-wise exclusive disjunction of bits."""

    function = np.bitwise_xor
