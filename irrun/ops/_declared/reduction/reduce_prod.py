from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fold, op
from irrun.ops._declared.reduction.base import Reduction


@op("ReduceProd", opset=1)
class ReduceProd(Reduction):
    """Product of the elements along axes; integers wrap around."""

    foldable = Fold.DIMS

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        return np.asarray(np.prod(data, axis=axes, dtype=data.dtype, keepdims=self.keep_dims))
