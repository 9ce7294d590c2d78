from __future__ import annotations

import numpy as np

from irrun.ops import Fold, op
from irrun.ops._declared.arithmetic.elementwise import Binary
from irrun.ops.departures import IN_I32, NUMPY, refuses_pdpd


@op("Subtract", opset=1)
class Subtract(Binary):
    """Element-wise difference of two tensors."""

    departures = {"8-bit": "saturates 8-bit integers", "pdpd": refuses_pdpd("Subtract")}
    workarounds = {"8-bit": IN_I32, "pdpd": NUMPY}

    foldable = Fold.BOUNDS
    function = np.subtract
