from __future__ import annotations

import numpy as np

from irrun.ops import Fold, op
from irrun.ops._declared.arithmetic.elementwise import Unary
from irrun.ops.departures import IN_I32


@op("Abs", opset=1)
class Abs(Unary):
    """Element-wise absolute value."""

    departures = {"8-bit": "saturates 8-bit integers"}
    workarounds = {"8-bit": IN_I32}
    foldable = Fold.DIMS
    function = np.abs
