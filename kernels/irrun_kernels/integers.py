"""Functions of one integer of 64 bits, and conversions to it. Sums, differences and products wrap."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from irrun_kernels.native import scalar

_ZERO, _ONE, _LAST = np.int64(0), np.int64(1), np.int64(63)


def _truncation(bits: int) -> Any:
    """Truncate a float; what is beyond a number of bits, or NaN, becomes the lowest integer of these."""
    lowest, beyond = np.int64(-1 << (bits - 1)), 2.0 ** (bits - 1)

    @scalar
    def truncated(x: Any) -> Any:
        inside = abs(x) < beyond
        return np.int64(x if inside else 0.0) if inside else lowest

    return truncated


in_32_bits, in_64_bits = _truncation(32), _truncation(64)


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
