from __future__ import annotations

import numpy as np

from irrun.ops import Fold, op
from irrun.ops._declared.arithmetic.elementwise import Whole


@op("Floor", opset=1)
class Floor(Whole):
    """Element-wise rounding down to the nearest integer."""

    foldable = Fold.BOUNDS
    function = np.floor
