from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.comparison.base import Comparison


@op("GreaterEqual", opset=1)
class GreaterEqual(Comparison):
    """Element-wise comparison a >= b."""

    departures = {"nan": "returns true where an operand is NaN"}
    workarounds = {"nan": "LessEqual with the inputs exchanged"}

    function = np.greater_equal
