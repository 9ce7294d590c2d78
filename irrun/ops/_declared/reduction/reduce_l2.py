from __future__ import annotations

import numpy as np

from irrun.ops import Array, op
from irrun.ops._declared.reduction.base import Reduction


@op("ReduceL2", opset=4, page="reduce-l2-4")
class ReduceL2(Reduction):
    """Square root of the sum of squares along axes.

    Note: integers are computed in float64, and the root is truncated.
    """

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        return np.asarray(
            np.sqrt(
                np.sum(
                    np.square(data, dtype=data.dtype if data.dtype.kind == "f" else np.float64),
                    axis=axes,
                    keepdims=self.keep_dims,
                )
            )
        )
