from __future__ import annotations

from typing import Any

import numpy as np

from irrun.kernels.casting import reach, truncate
from irrun.ops import Array, Legacy, op
from irrun.ops.arithmetic.elementwise import Binary


def power(a: Array, b: Array) -> Any:
    if a.dtype.kind == "f":
        return np.power(a, b)
    real = np.power(a.astype(np.float64), b.astype(np.float64))
    exact = (b >= 0) & (np.abs(real) <= reach(a.dtype))
    return np.where(exact, np.power(a, np.maximum(b, 0)), truncate(real, a.dtype))


@op("Power", opset=1)
class Power(Binary):
    """Element-wise power of two tensors.

    Note: the page does not define integers. As in OpenVINO, they are truncated from real numbers, and numbers beyond
    i32 (for u32, i64 and u64: beyond 64 bits), such as 0 to the power of -1, become its minimum.
    """

    departures = {"8-bit": "saturates 8-bit integers", "32-bit": "returns 2^31 for powers of u32 beyond i32"}

    legacy = (Legacy("power", "scale", "shift", since="2019 R2", until="2019 R3"),)
    function = power
