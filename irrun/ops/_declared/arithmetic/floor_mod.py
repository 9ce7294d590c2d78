from __future__ import annotations

from typing import Any

import numpy as np

from irrun.ops import Array, Fold, op
from irrun.ops._declared.arithmetic.elementwise import Binary, hold_dims, over_dims


def floor_mod(a: Array, b: Array) -> Any:
    return over_dims(lambda x, y: x % y, a, b) if hold_dims(a, b) else np.mod(a, b)


@op("FloorMod", opset=1, page="floormod-1")
class FloorMod(Binary):
    """Element-wise remainder of a floored division, with the sign of the divisor.

    Note: the page leaves a divisor of zero undefined; integers are then zero.
    """

    foldable = Fold.DIMS
    departures = {"infinite": "returns NaN for an infinite divisor"}
    workarounds = {"infinite": "after it, Select(IsInf(b), a, result), and b in place of a where their signs differ"}
    function = floor_mod
