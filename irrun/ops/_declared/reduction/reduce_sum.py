from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fold, op
from irrun.ops._declared.reduction.base import Reduction
from irrun.ops.departures import IN_I32, LEFT_OUT


@op("ReduceSum", opset=1)
class ReduceSum(Reduction):
    """Sum of the elements along axes; integers wrap around."""

    departures = {**Reduction.departures, "8-bit": "saturates 8-bit integers"}
    workarounds = {"no axes": LEFT_OUT, "8-bit": IN_I32}
    foldable = Fold.DIMS

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        return np.asarray(np.sum(data, axis=axes, dtype=data.dtype, keepdims=self.keep_dims))
