from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.activation.elementwise import Activation
from irrun.ops.departures import NAN_SELECTED


@op("Exp", opset=1)
class Exp(Activation):
    """Element-wise exponential."""

    departures = {
        "limits": "returns infinity from 88.5 on, although exp fits float32 up to 88.72",
        "nan": "returns infinity for NaN",
    }
    workarounds = {"limits": "Multiply(y, y) for y = Exp(Multiply(x, 0.5))", "nan": NAN_SELECTED}

    function = np.exp
