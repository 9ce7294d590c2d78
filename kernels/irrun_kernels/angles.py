"""Functions of one element that have to do with angles, in f64, within 4 ulp."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from irrun_kernels.functions import polynomial
from irrun_kernels.native import scalar
from irrun_kernels.real import WHOLE, bits, copysign, from_bits, rint

_INF: Final = math.inf
_NAN: Final = math.nan
_PI: Final = math.pi

_HALF_PI = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
_NEAR: Final = 1e6
"""The magnitude up to which the parts of pi / 2 reduce an angle."""

_WORDS: Final = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73e"
    "e88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b7"
    "4f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc20",
    16,
)
"""2 / pi, times 2**1248."""

_INVERSE: Final = np.array(
    [math.ldexp(_WORDS >> (1248 - 24 * place) & 0xFFFFFF, 200 - 24 * place) for place in range(1, 53)]
)
"""2 / pi in words of 24 bits, times 2**200."""


_sine_tail = polynomial(*((-1) ** (n // 2) / math.factorial(n) for n in range(3, 18, 2)))
_cosine_tail = polynomial(*((-1) ** (n // 2) / math.factorial(n) for n in range(4, 17, 2)))


@scalar
def _of_quadrant(quadrant: Any, r: Any) -> Any:
    """The sine of r + quadrant * pi / 2, where r is from -pi / 4 to pi / 4."""
    z = r * r
    sine = _sine_tail(z) * z * r + r
    cosine = _cosine_tail(z) * (z * z) + (1.0 - z * 0.5)
    number = bits(quadrant + WHOLE)
    value = cosine if number & 1 else sine
    return -value if number & 2 else value


@scalar
def _reduced(x: Any) -> Any:
    n = rint(x * (2 / _PI))
    r = x - n * _HALF_PI[0]
    r = r - n * _HALF_PI[1]
    return n, r - n * _HALF_PI[2]


@scalar
def _far_reduced(x: Any) -> Any:
    """The same for any magnitude, with a loop: products with those bits of 2 / pi that are not multiples of 8."""
    y = x * 2.0**-200
    first = max(0, ((bits(x) >> 52 & 2047) - 1023 - 55) // 24)
    high = from_bits(bits(y) & ~0x7FFFFFF)
    total, rest = 0.0, 0.0
    for place in range(first, first + 9):
        for part in (high, y - high):
            p = part * _INVERSE[place]
            p = p - 8.0 * rint(p * 0.125)
            before = total
            total = before + p
            back = total - before
            rest += (before - (total - back)) + (p - back)
    n = rint(total)
    return n - 4.0 * rint(n * 0.25), ((total - n) + rest) * (_PI / 2)


@scalar
def is_far(x: Any) -> Any:
    """Return whether an angle is beyond the reach of `sin` and `cos`."""
    return _NEAR < abs(x) < _INF


def _circular(reduced: Callable[[Any], Any], quadrants: float) -> Any:
    """The sine of angles to which a number of ``quadrants`` is added."""

    @scalar
    def value(x: Any) -> Any:
        n, r = reduced(x)
        return _of_quadrant(n + quadrants, r)

    return value


sin, cos = _circular(_reduced, 0.0), _circular(_reduced, 1.0)
"""The sine and the cosine of angles that are not far."""

far_sin, far_cos = _circular(_far_reduced, 0.0), _circular(_far_reduced, 1.0)
"""The same of any angles, with a loop."""


_TAN_EIGHTH: Final = math.sqrt(2) - 1


_atan_tail = polynomial(
    *(-0.3333333333333312, 0.19999999999940837, -0.14285714279244968, 0.11111110744657099, -0.09090896801472813),
    *(0.07692045194561481, -0.06662950246036792, 0.05846866752275139, -0.05035049795312439, 0.03796390316111083),
    -0.017803896394812564,
)


@scalar
def _atan_of_positive(a: Any) -> Any:
    """The inverse tangent: of 1 / a above 1, and of (z - 1) / (z + 1) above tan(pi / 8)."""
    z = 1.0 / a if a > 1.0 else a
    t = (z - 1.0) / (z + 1.0) if z > _TAN_EIGHTH else z
    u = t * t
    value = _atan_tail(u) * u * t + t
    value = value + _PI / 4 if z > _TAN_EIGHTH else value
    return _PI / 2 - value if a > 1.0 else value


@scalar
def atan(x: Any) -> Any:
    """The inverse tangent."""
    return copysign(_atan_of_positive(abs(x)), x)


@scalar
def acos(x: Any) -> Any:
    """The inverse cosine."""
    return 2.0 * atan(np.sqrt((1.0 - x) / (1.0 + x)))


@scalar
def atan2(y: Any, x: Any) -> Any:
    """The angle of a point."""
    a, b = abs(y), abs(x)
    ratio = 1.0 if a == b else a / b
    angle = _atan_of_positive(0.0 if a == 0.0 else ratio)
    angle = _PI - angle if copysign(1.0, x) < 0.0 else angle
    return copysign(_NAN if y != y or x != x else angle, y)
