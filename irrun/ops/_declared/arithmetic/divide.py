from __future__ import annotations

from typing import Any

import numpy as np

from irrun.ops import Array, Dim, Fold, attr, op
from irrun.ops._declared.arithmetic.elementwise import Binary, hold_dims, over_dims
from irrun.ops.departures import OF_RANK_1


@op("Divide", opset=1)
class Divide(Binary):
    """Element-wise quotient of two tensors; integers are rounded down, or toward zero where m_pythondiv is false.

    Note: the page leaves a divisor of zero undefined; integers are then zero.
    """

    departures = {
        "floor": "rounds toward zero whatever m_pythondiv says",
        "rank 7": "rounds quotients of 8-bit integers to nearest from rank 7 on",
    }
    workarounds = {"floor": "Divide(Subtract(a, FloorMod(a, b)), b)", "rank 7": OF_RANK_1}

    foldable = Fold.BOUNDS

    m_pythondiv: bool = attr(True, doc="whether quotients of integers are rounded down")

    def apply(self, a: Array, b: Array) -> Any:
        if hold_dims(a, b):
            return over_dims(Dim.__floordiv__ if self.m_pythondiv else _toward_zero, a, b)
        if a.dtype.kind == "f":
            return np.divide(a, b)
        quotient = np.floor_divide(a, b)
        if self.m_pythondiv or a.dtype.kind == "u":
            return quotient
        return quotient + ((quotient < 0) & (quotient * b != a))


def _toward_zero(a: Dim, b: Dim) -> Dim:
    return a // b if a.lo >= 0 and b.lo > 0 else Dim.anything()
