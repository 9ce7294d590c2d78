from __future__ import annotations

from typing import Any

import numpy as np

from irrun.ops import Array, Dim, Fold, op
from irrun.ops._declared.arithmetic.elementwise import Binary, hold_dims, over_dims


def maximum(a: Array, b: Array) -> Any:
    return over_dims(Dim.maximum, a, b) if hold_dims(a, b) else np.maximum(a, b)


@op("Maximum", opset=1)
class Maximum(Binary):
    """Element-wise maximum of two tensors.

    Note: the page does not define NaN; the result is NaN where either input is.
    """

    departures = {"nan": "returns the second input where one is NaN, which the page does not define"}
    workarounds = {"nan": "after it, Select(IsNaN(a), a, result) for the first input a"}

    foldable = Fold.BOUNDS
    function = maximum
