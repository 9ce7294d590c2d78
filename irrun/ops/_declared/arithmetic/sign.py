from __future__ import annotations

import numpy as np

from irrun.ops import op
from irrun.ops._declared.arithmetic.elementwise import Unary


@op("Sign", opset=1)
class Sign(Unary):
    """Element-wise sign: -1, 0 or 1, and NaN of NaN."""

    function = np.sign
