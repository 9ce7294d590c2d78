from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.comparison.base import Comparison


@op("Greater", opset=1)
class Greater(Comparison):
    """Element-wise comparison a > b."""

    departures = {"nan": "returns true where an operand is NaN"}
    workarounds = {"nan": "Less with the inputs exchanged"}

    function = np.greater
