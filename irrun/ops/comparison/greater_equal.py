from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.comparison.base import Comparison


@op("GreaterEqual", opset=1)
class GreaterEqual(Comparison):
    """Whether an element of a is at least that of b."""

    departures = {"nan": "gives true where an operand is NaN"}

    function = np.greater_equal
