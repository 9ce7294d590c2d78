from __future__ import annotations

from typing import Any

import numpy as np

from irrun.ops import Array, Legacy, op
from irrun.ops.arithmetic.elementwise import Binary


def power(a: Array, b: Array) -> Any:
    if b.dtype.kind != "i" or not (b < 0).any():
        return np.power(a, b)
    # Only 1 and -1 have an integer reciprocal; those of other integers truncate to zero.
    sign = np.where((b % 2 == 0) & (a == -1), 1, a).astype(a.dtype)
    return np.where(b >= 0, np.power(a, np.maximum(b, 0)), np.where(np.abs(a) == 1, sign, 0).astype(a.dtype))


@op("Power", opset=1)
class Power(Binary):
    """Element-wise power of two tensors.

    Note: the page does not define integers; powers that overflow wrap, those with a negative exponent are truncated.
    """

    legacy = (Legacy("power", "scale", "shift", since="2019 R2", until="2019 R3"),)
    function = power
