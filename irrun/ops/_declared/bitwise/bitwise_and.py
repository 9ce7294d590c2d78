from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.bitwise.base import Bitwise


@op("BitwiseAnd", opset=13)
class BitwiseAnd(Bitwise):
    """Element-wise conjunction of bits."""

    function = np.bitwise_and
