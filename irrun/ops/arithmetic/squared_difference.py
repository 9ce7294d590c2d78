from __future__ import annotations

from typing import Any

from irrun.ops import Array, Fold, op
from irrun.ops.arithmetic.elementwise import Binary


def squared_difference(a: Array, b: Array) -> Any:
    difference = a - b
    return difference * difference


@op("SquaredDifference", opset=1)
class SquaredDifference(Binary):
    """Element-wise square of the difference of two tensors."""

    foldable = Fold.DIMS
    function = squared_difference
