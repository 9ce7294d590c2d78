from __future__ import annotations

from typing import Any

from irrun.ops import Array, Fold, op
from irrun.ops._declared.arithmetic.elementwise import Binary
from irrun.ops.departures import IN_I32


def squared_difference(a: Array, b: Array) -> Any:
    difference = a - b
    return difference * difference


@op("SquaredDifference", opset=1)
class SquaredDifference(Binary):
    """Element-wise square of the difference of two tensors."""

    departures = {"8-bit": "saturates 8-bit integers"}
    workarounds = {"8-bit": IN_I32}

    foldable = Fold.DIMS
    function = squared_difference
