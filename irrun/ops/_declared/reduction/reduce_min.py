from __future__ import annotations

import numpy as np

from irrun.ops import Array, Dim, Fold, op
from irrun.ops._declared.reduction.base import Reduction, over_numbers
from irrun.ops.departures import LEFT_OUT, NAN_ADDED


@op("ReduceMin", opset=1)
class ReduceMin(Reduction):
    """Minimum of the elements along axes.

    Note: the minimum of no elements is the greatest finite number of the type, or inf for f16 and bf16.
    """

    departures = {
        **Reduction.departures,
        "nan": "ignores NaN",
        "infinite": "returns the greatest finite number for infinity alone",
    }
    workarounds = {
        "no axes": LEFT_OUT,
        "nan": NAN_ADDED,
        "infinite": "the first output of a TopK with k 1 and mode min",
    }

    foldable = Fold.DIMS

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        if data.dtype == object:
            return over_numbers(min, Dim.minimum, data, axes, keep_dims=self.keep_dims)
        if data.size == 0:
            limits = np.finfo(data.dtype) if data.dtype.kind == "f" else np.iinfo(data.dtype)
            return np.asarray(np.min(data, axis=axes, keepdims=self.keep_dims, initial=limits.max))
        return np.asarray(np.min(data, axis=axes, keepdims=self.keep_dims))
