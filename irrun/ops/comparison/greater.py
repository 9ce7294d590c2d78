from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.comparison.base import Comparison


@op("Greater", opset=1)
class Greater(Comparison):
    """Whether an element of a is greater than that of b."""

    departures = {"nan": "gives true where an operand is NaN"}

    function = np.greater
