from __future__ import annotations

import numpy as np

from irrun.ops import Fold, op
from irrun.ops._declared.arithmetic.elementwise import Unary
from irrun.ops.departures import IN_I32


@op("Negative", opset=1)
class Negative(Unary):
    """Element-wise negation."""

    departures = {"8-bit": "saturates 8-bit integers"}
    workarounds = {"8-bit": IN_I32}
    foldable = Fold.BOUNDS
    function = np.negative
