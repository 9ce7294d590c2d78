from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.activation.elementwise import Activation


@op("Exp", opset=1)
class Exp(Activation):
    """Element-wise exponential."""

    departures = {"limits": "gives infinity from 88.5 on, where float32 reaches to 88.72, and for NaN"}

    function = np.exp
