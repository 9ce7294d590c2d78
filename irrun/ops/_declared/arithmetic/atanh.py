from __future__ import annotations

import numpy as np

from irrun.ops import Array, op
from irrun.ops._declared.arithmetic.elementwise import Unary


@op("Atanh", opset=4, page="atanh-3")
class Atanh(Unary):
    """Element-wise inverse hyperbolic tangent: ±inf at ±1, NaN outside [-1, 1].

    Results for integers are the maximum of the type from 1 up, and its minimum from -1 down.
    """

    departures = {"infinity": "returns other limits for infinite results of signed integers"}

    function = np.arctanh

    def run(self, data: Array) -> Array:
        if data.dtype.kind == "f":
            return np.arctanh(data)
        bounds = np.iinfo(data.dtype)
        return np.where(data > 0, bounds.max, np.where(data < 0, bounds.min, 0)).astype(data.dtype)
