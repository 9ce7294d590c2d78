from __future__ import annotations

import numpy as np

from irrun.ops import Fold, op
from irrun.ops._declared.arithmetic.elementwise import Binary
from irrun.ops.departures import IN_I32


@op("Multiply", opset=1)
class Multiply(Binary):
    """Element-wise product of two tensors."""

    departures = {"8-bit": "saturates 8-bit integers"}
    workarounds = {"8-bit": IN_I32}

    foldable = Fold.BOUNDS
    function = np.multiply
