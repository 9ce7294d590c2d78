from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.logical.base import Logical


@op("Xor", opset=1, page="logical-xor-1")
class Xor(Logical):
    """Element-wise exclusive disjunction; the older name of LogicalXor."""

    function = np.logical_xor
