"""Remainders of divisions of f64, which are exact."""

from __future__ import annotations

import math
from typing import Any, Final

from irrun_kernels.native import scalar
from irrun_kernels.real import copysign, multiply_add, whole

_INF: Final = math.inf
_NAN: Final = math.nan


@scalar
def truncated(x: Any, y: Any) -> Any:
    """The remainder of a truncated division, for quotients that are not far."""
    b = abs(y)
    r = multiply_add(-whole(x / y), y, x)
    r = r + copysign(b, x) if r != 0.0 and (r < 0.0) != (x < 0.0) else r
    r = x if abs(x) < b else r
    return copysign(_NAN if b == 0.0 or b != b or abs(x) == _INF or x != x else r, x)


@scalar
def is_far(x: Any, y: Any) -> Any:
    """Whether a quotient is beyond the reach of `truncated` and `floored`."""
    return abs(x) < _INF and y != 0.0 and abs(x) >= 4503599627370496.0 * abs(y)


@scalar
def far_truncated(x: Any, y: Any) -> Any:
    """The remainder of a truncated division, bit by bit."""
    a, b = abs(x), abs(y)
    step = b
    while step <= a * 0.5:
        step *= 2.0
    while step >= b:
        a = a - step if a >= step else a
        step *= 0.5
    return copysign(a, x)


@scalar
def _with_sign_of(r: Any, y: Any) -> Any:
    """The remainder of a floored division by y, for that of a truncated one."""
    r = r + y if r != 0.0 and (r < 0.0) != (y < 0.0) else r
    return copysign(0.0, y) if r == 0.0 else r


@scalar
def far_floored(x: Any, y: Any) -> Any:
    """The remainder of a floored division, bit by bit."""
    return _with_sign_of(far_truncated(x, y), y)


@scalar
def floored(x: Any, y: Any) -> Any:
    """The remainder of a floored division, for quotients that are not far."""
    return _with_sign_of(truncated(x, y), y)
