from __future__ import annotations

import math

import numpy as np

from irrun.ops import Array, op
from irrun.ops._declared.reduction.base import Reduction
from irrun.ops.departures import IN_I32, LEFT_OUT


@op("ReduceMean", opset=1)
class ReduceMean(Reduction):
    """Arithmetic mean along axes.

    Note: the mean of integers is truncated toward zero; the mean of no elements is zero.
    """

    departures = {**Reduction.departures, "8-bit": "saturates the sum of 8-bit integers"}
    workarounds = {"no axes": LEFT_OUT, "8-bit": IN_I32}

    def reduce(self, data: Array, axes: tuple[int, ...]) -> Array:
        count = max(math.prod(data.shape[axis] for axis in axes), 1)
        wide = {"f": data.dtype, "u": np.dtype(np.uint64)}.get(data.dtype.kind, np.dtype(np.int64))
        total = np.sum(data, axis=axes, dtype=wide, keepdims=self.keep_dims)
        if wide.kind == "f":
            return np.asarray(total / wide.type(count))
        return np.asarray((total - np.fmod(total, wide.type(count))) // wide.type(count))
