from __future__ import annotations

from typing import Any

import numpy as np

from irrun.ops import Array, Dim, Fold, op
from irrun.ops._declared.arithmetic.elementwise import Binary, hold_dims, over_dims


def mod(a: Array, b: Array) -> Any:
    return over_dims(_of_dims, a, b) if hold_dims(a, b) else np.fmod(a, b)


def _of_dims(a: Dim, b: Dim) -> Dim:
    return a % b if a.lo >= 0 and b.lo > 0 else Dim.anything()


@op("Mod", opset=1)
class Mod(Binary):
    """Element-wise remainder of a truncated division, with the sign of the dividend.

    Note: the page leaves a divisor of zero undefined; integers are then zero.
    """

    foldable = Fold.DIMS
    departures = {"infinite": "returns NaN for an infinite divisor"}
    workarounds = {"infinite": "after it, Select(IsInf(b), a, result)"}
    function = mod
