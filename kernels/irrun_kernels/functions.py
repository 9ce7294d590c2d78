"""Functions of one element, and loops over them. Loops without branches, which LLVM turns into vectors."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from irrun_kernels.native import Deferred, inlined, of_llvm, power_of_two, scalar


def polynomial(*coefficients: Any) -> Any:
    """A function of one element that is a polynomial; coefficients ascend."""

    def make() -> Any:
        names = {f"c{place}": coefficient for place, coefficient in enumerate(coefficients)}
        body = f"c{len(names) - 1}"
        for place in reversed(range(len(names) - 1)):
            body = f"({body}) * x + c{place}"
        exec(f"def evaluate(x): return {body}", names)
        return scalar(names["evaluate"]).form

    return Deferred(make)


ONE: Final = np.float32(1)
HALF: Final = np.float32(0.5)
ZERO: Final = np.float32(0)

_LOG2E = np.float32(1.44269504088896341)
_LN2_HIGH = np.float32(0.693359375)
_LN2_LOW = np.float32(-2.12194440e-4)
_exp_tail = polynomial(
    *map(np.float32, (0.5, 0.16666665459, 0.041665795894, 0.0083334519073, 0.0013981999507, 0.00019875691500))
)
_ROUND = np.float32(12582912)
_LOWEST, _HIGHEST, _MOST = np.float32(-87.33), np.float32(89), np.float32(127)


@scalar
def clip(x: Any, low: Any, high: Any) -> Any:
    """The nearest number within bounds; NaN stays."""
    x = low if x < low else x
    return high if x > high else x


rint, floor, ceil = (of_llvm(name, "f32") for name in ("rint", "floor", "ceil"))


@scalar
def _exponential(x: Any) -> Any:
    """2**n, r and p, where exp(x) is 2**n * (1 + r + p), for x above the lowest exponent."""
    n = np.float32(x * _LOG2E + _ROUND) - _ROUND
    n = _MOST if n > _MOST else n
    r = x - n * _LN2_HIGH
    r = r - n * _LN2_LOW
    return power_of_two(n), r, _exp_tail(r) * (r * r)


@scalar
def exp(x: Any) -> Any:
    """The exponential, within 2 ulp; inf and NaN as it should be, 0 for what is smaller than any normal number."""
    scale, r, p = _exponential(clip(x, _LOWEST, _HIGHEST))
    return ZERO if x < _LOWEST else (p + (r + ONE)) * scale


_tanh_over = polynomial(
    *map(np.float32, (4.89352455891786e-03, 6.37261928875436e-04, 1.48572235717979e-05, 5.12229709037114e-08)),
    *map(np.float32, (-8.60467152213735e-11, 2.00018790482477e-13, -2.76076847742355e-16)),
)
_tanh_under = polynomial(
    *map(np.float32, (4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04, 1.19825839466702e-06))
)
_FLAT = np.float32(7.90531110763549805)


@scalar
def tanh(x: Any) -> Any:
    """The hyperbolic tangent: a quotient of polynomials, within 3 ulp."""
    y = clip(x, -_FLAT, _FLAT)
    s = y * y
    value = y * _tanh_over(s) / _tanh_under(s)
    value = ONE if x > _FLAT else value
    return -ONE if x < -_FLAT else value


_erf_slope = polynomial(
    *map(np.float32, (0.7978842161, 0.03633428351, -3.312999398e-05, -5.524015845e-05)),
    *map(np.float32, (3.969109459e-06, -1.334464095e-07, 1.805616419e-09)),
)
_REACH = np.float32(5.9**2)


@scalar
def _erf_of_half(x: Any) -> Any:
    """erf(x / sqrt(2)), as the tangent of an odd polynomial."""
    return tanh(_erf_slope(min(x * x, _REACH)) * x)


@scalar
def _expm1(x: Any) -> Any:
    """exp(x) - 1, for x below 0."""
    scale, r, p = _exponential(clip(x, _LOWEST, ZERO))
    return scale * (p + r) + (scale - ONE)


@scalar
def sigmoid(x: Any) -> Any:
    return ONE / (ONE + exp(-x))


@scalar
def swish(x: Any) -> Any:
    return x * (ONE / (ONE + exp(-x)))


@scalar
def hswish(x: Any) -> Any:
    return x * (clip(x + np.float32(3), ZERO, np.float32(6)) * np.float32(1 / 6))


@scalar
def hsigmoid(x: Any) -> Any:
    return clip(x * np.float32(1 / 6) + HALF, ZERO, ONE)


@scalar
def elu(x: Any, alpha: Any) -> Any:
    below = _expm1(x)
    return alpha * below if x < ZERO else x


@scalar
def gelu(x: Any) -> Any:
    return x * (HALF * _erf_of_half(x) + HALF)


_SCALE: Final = np.float32(math.sqrt(2 / math.pi))
_CUBE: Final = np.float32(0.044715 * math.sqrt(2 / math.pi))


@scalar
def gelu_tanh(x: Any) -> Any:
    return x * (HALF * tanh(x * (_CUBE * x * x + _SCALE)) + HALF)


RUN: Final = 1024
"""Elements that go through functions while they are in the nearest cache."""


@inlined
def assign(x: Any, y: Any) -> None:
    """Copy y to x."""
    for i in range(len(x)):
        x[i] = y[i]


@inlined
def fill(out: Any, value: Any) -> None:
    """Write one value everywhere."""
    for i in range(len(out)):
        out[i] = value


@inlined
def add(out: Any, x: Any) -> None:
    """Add one array to another."""
    for i in range(len(out)):
        out[i] += x[i]


@inlined
def divide(x: Any, number: Any) -> None:
    """Divide an array by a number."""
    for i in range(len(x)):
        x[i] /= number
