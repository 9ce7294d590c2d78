from __future__ import annotations

import numpy as np

from irrun.ops import Fold, Legacy, op
from irrun.ops._declared.arithmetic.elementwise import Binary
from irrun.ops.departures import IN_I32


@op("Add", opset=1)
class Add(Binary):
    """Element-wise sum of two tensors."""

    departures = {"8-bit": "saturates 8-bit integers"}
    workarounds = {"8-bit": IN_I32}

    legacy = (Legacy("axis", writer="OpenVINO's documentation"),)
    foldable = Fold.BOUNDS
    function = np.add
