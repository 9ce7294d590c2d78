"""Functions of one integer of 64 bits, and conversions to it. Sums, differences and products wrap."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from irrun_kernels.native import scalar
from irrun_kernels.real import copysign, multiply_add, whole

_ZERO, _ONE, _LAST = np.int64(0), np.int64(1), np.int64(63)
_LOWEST: Final = np.int64(-1 << 63)
_BEYOND: Final = 2.0**63
_LOWEST_WORD, _BEYOND_WORD = np.int64(-1 << 31), 2.0**31


@scalar
def in_32_bits(x: Any) -> Any:
    """Truncate a float; what is beyond 32 bits, or NaN, becomes the lowest integer of 32 bits."""
    inside = abs(x) < _BEYOND_WORD
    return np.int64(x if inside else 0.0) if inside else _LOWEST_WORD


@scalar
def in_64_bits(x: Any) -> Any:
    """Truncate a float; what is beyond 64 bits, or NaN, becomes the lowest integer of 64 bits."""
    inside = abs(x) < _BEYOND
    return np.int64(x if inside else 0.0) if inside else _LOWEST


@scalar
def divide(x: Any, y: Any) -> Any:
    """The quotient rounded down; 0 for a divisor of zero."""
    is_plain = y != 0 and y != -1
    quotient = x // (y if is_plain else _ONE)
    return quotient if is_plain else -x if y != 0 else _ZERO


@scalar
def truncated_divide(x: Any, y: Any) -> Any:
    """The quotient rounded toward zero; 0 for a divisor of zero."""
    quotient = divide(x, y)
    return quotient + _ONE if quotient < 0 and quotient * y != x else quotient


@scalar
def floor_mod(x: Any, y: Any) -> Any:
    """The remainder with the sign of the divisor; 0 for a divisor of zero."""
    is_plain = y != 0 and y != -1
    return x % (y if is_plain else _ONE)


@scalar
def mod(x: Any, y: Any) -> Any:
    """The remainder with the sign of the dividend; 0 for a divisor of zero."""
    remainder = floor_mod(x, y)
    return remainder - y if remainder != 0 and (x < 0) != (y < 0) else remainder


@scalar
def left_shift(x: Any, y: Any) -> Any:
    """Bits shifted left; none are left of shifts by 64 or more, or by negative numbers."""
    is_inside = 0 <= y < 64
    return x << (y if is_inside else _ZERO) if is_inside else _ZERO


@scalar
def right_shift(x: Any, y: Any) -> Any:
    """Bits shifted right; only the sign is left of shifts by 64 or more, or by negative numbers."""
    return x >> (y if 0 <= y < 64 else _LAST)


OUTSIDE: Final = -1 << 60
"""The place of an element that does not exist. Sums of places with some of these are below half of it."""


@scalar
def place(index: Any, size: Any, step: Any) -> Any:
    """The distance of an element from the first one along an axis, whose elements are ``step`` apart."""
    return index * step if 0 <= index < size else OUTSIDE


@scalar
def place_from_end(index: Any, size: Any, step: Any) -> Any:
    """The same, where negative indices count from the end."""
    return place(index + size if index < 0 else index, size, step)


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
