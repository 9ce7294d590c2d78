from __future__ import annotations

import numpy as np

from irrun.ops import Array, op
from irrun.ops._declared.reduction.base import Reduction


@op("ReduceL1", opset=4, page="reduce-l1-4")
class ReduceL1(Reduction):
    """Sum of absolute values along axes."""

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        return np.asarray(np.sum(np.abs(data), axis=axes, dtype=data.dtype, keepdims=self.keep_dims))
