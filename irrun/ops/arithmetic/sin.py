from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops.arithmetic.elementwise import Unary


@op("Sin", opset=1)
class Sin(Unary):
    """Element-wise sine, in radians."""

    function = np.sin
