from __future__ import annotations

import numpy as np

from irrun.ops import Array, Dim, Fold, op
from irrun.ops._declared.reduction.base import Reduction, over_numbers
from irrun.ops.departures import LEFT_OUT, NAN_ADDED


@op("ReduceMax", opset=1)
class ReduceMax(Reduction):
    """Maximum of the elements along axes.

    Note: the maximum of no elements is the lowest finite number of the type, or -inf for f16 and bf16.
    """

    departures = {
        **Reduction.departures,
        "nan": "ignores NaN",
        "infinite": "returns the lowest finite number for -inf alone",
    }
    workarounds = {
        "no axes": LEFT_OUT,
        "nan": NAN_ADDED,
        "infinite": "the first output of a TopK with k 1 and mode max",
    }

    foldable = Fold.DIMS

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        if data.dtype == object:
            return over_numbers(max, Dim.maximum, data, axes, keep_dims=self.keep_dims)
        if data.size == 0:
            limits = np.finfo(data.dtype) if data.dtype.kind == "f" else np.iinfo(data.dtype)
            return np.asarray(np.max(data, axis=axes, keepdims=self.keep_dims, initial=limits.min))
        return np.asarray(np.max(data, axis=axes, keepdims=self.keep_dims))
