from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from irrun.kernels.casting import reach, truncate
from irrun.ops import Array, Dim, Fold, Legacy, op
from irrun.ops._declared.arithmetic.elementwise import Binary, hold_dims, over_dims
from irrun.ops.departures import IN_I32

_MOST_FACTORS: Final = 8
_LARGEST: Final = 2**31 - 1
"""The power above which its value depends on the element type."""


def power(a: Array, b: Array) -> Any:
    if hold_dims(a, b):
        return over_dims(_of_dims, a, b)
    if a.dtype.kind == "f":
        return np.power(a, b)
    real = np.power(a.astype(np.float64), b.astype(np.float64))
    exact = (b >= 0) & (np.abs(real) <= reach(a.dtype))
    return np.where(exact, np.power(a, np.maximum(b, 0)), truncate(real, a.dtype))


def _of_dims(base: Dim, exponent: Dim) -> Dim:
    """Return the power of a size by a small known number."""
    if base.lo < 0 or not exponent.is_static or not 0 <= exponent.lo <= _MOST_FACTORS:
        return Dim.anything()
    product: Dim = math.prod([base] * exponent.lo, start=Dim.exactly(1))
    return Dim.anything() if product.lo > _LARGEST else product


@op("Power", opset=1)
class Power(Binary):
    """Element-wise power of two tensors.

    Note: the page does not define integers. As in OpenVINO, they are truncated from real numbers, and numbers beyond
    i32 (for u32, i64 and u64: beyond 64 bits), such as 0 to the power of -1, become its minimum.
    """

    departures = {"8-bit": "saturates 8-bit integers", "32-bit": "returns 2^31 for powers of u32 beyond i32"}
    workarounds = {"8-bit": IN_I32}

    legacy = (Legacy("power", "scale", "shift", since="2019 R2", until="2019 R3"),)
    foldable = Fold.BOUNDS
    function = power
