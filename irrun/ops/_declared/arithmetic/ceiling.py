from __future__ import annotations

import numpy as np

from irrun.ops import Fold, op
from irrun.ops._declared.arithmetic.elementwise import Whole


@op("Ceiling", opset=1)
class Ceiling(Whole):
    """Element-wise rounding up to the nearest integer."""

    foldable = Fold.BOUNDS
    function = np.ceil
