"""Functions of one element, and loops over them. Loops without branches, which LLVM turns into vectors."""

from __future__ import annotations

import math
from typing import Final

import numba
import numpy as np

from irrun.kernels.compiled.native import inlined, power_of_two

_scalar = numba.njit(nogil=True, error_model="numpy", inline="always", fastmath={"contract"})

ONE: Final = np.float32(1)
HALF: Final = np.float32(0.5)
ZERO: Final = np.float32(0)

_LOG2E = np.float32(1.44269504088896341)
_LN2_HIGH = np.float32(0.693359375)
_LN2_LOW = np.float32(-2.12194440e-4)
_E2, _E3, _E4 = np.float32(0.5), np.float32(0.16666665459), np.float32(0.041665795894)
_E5, _E6, _E7 = np.float32(0.0083334519073), np.float32(0.0013981999507), np.float32(0.00019875691500)
_ROUND = np.float32(12582912)
_LOWEST, _HIGHEST = np.float32(-104), np.float32(89)


@_scalar
def exp(x):
    """The exponential, within 2 ulp; 0, inf and NaN as it should be."""
    y = min(max(x, _LOWEST), _HIGHEST)
    n = np.float32(y * _LOG2E + _ROUND) - _ROUND
    r = y - n * _LN2_HIGH
    r = r - n * _LN2_LOW
    p = _E7 * r + _E6
    p = p * r + _E5
    p = p * r + _E4
    p = p * r + _E3
    p = p * r + _E2
    p = p * (r * r) + (r + ONE)
    half = np.float32(n * HALF + _ROUND) - _ROUND
    value = p * power_of_two(half) * power_of_two(n - half)
    return value if x == x else x


_T1, _T3, _T5 = np.float32(4.89352455891786e-03), np.float32(6.37261928875436e-04), np.float32(1.48572235717979e-05)
_T7, _T9, _T11 = np.float32(5.12229709037114e-08), np.float32(-8.60467152213735e-11), np.float32(2.00018790482477e-13)
_T13 = np.float32(-2.76076847742355e-16)
_U0, _U2, _U4 = np.float32(4.89352518554385e-03), np.float32(2.26843463243900e-03), np.float32(1.18534705686654e-04)
_U6 = np.float32(1.19825839466702e-06)
_FLAT = np.float32(7.90531110763549805)


@_scalar
def tanh(x):
    """The hyperbolic tangent: a quotient of polynomials, within 3 ulp."""
    y = min(max(x, -_FLAT), _FLAT)
    s = y * y
    p = _T13 * s + _T11
    p = p * s + _T9
    p = p * s + _T7
    p = p * s + _T5
    p = p * s + _T3
    p = p * s + _T1
    q = _U6 * s + _U4
    q = q * s + _U2
    q = q * s + _U0
    value = y * p / q
    return value if x == x else x


_G0, _G1, _G2 = np.float32(0.7978842161), np.float32(0.03633428351), np.float32(-3.312999398e-05)
_G3, _G4, _G5 = np.float32(-5.524015845e-05), np.float32(3.969109459e-06), np.float32(-1.334464095e-07)
_G6 = np.float32(1.805616419e-09)
_REACH = np.float32(5.9**2)


@_scalar
def gelu(x):
    """x * (1 + erf(x / sqrt(2))) / 2, where erf is the tangent of an odd polynomial."""
    s = min(x * x, _REACH)
    p = _G6 * s + _G5
    p = p * s + _G4
    p = p * s + _G3
    p = p * s + _G2
    p = p * s + _G1
    p = p * s + _G0
    return x * (HALF * tanh(p * x) + HALF)


_TANH_SCALE = np.float32(math.sqrt(2 / math.pi))
_TANH_CUBE = np.float32(0.044715 * math.sqrt(2 / math.pi))


@_scalar
def gelu_tanh(x):
    """x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2."""
    return x * (HALF * tanh(x * (_TANH_CUBE * x * x + _TANH_SCALE)) + HALF)


@_scalar
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return ONE / (ONE + exp(-x))


UNARY: Final = (
    "copy",
    "clamp",
    "gelu",
    "gelu_tanh",
    "sigmoid",
    "swish",
    "tanh",
    "exp",
    "hswish",
    "hsigmoid",
    "elu",
    "sqrt",
    "negative",
    "abs",
)
"""Functions of one element and up to two parameters, by their number."""

BINARY: Final = ("add", "subtract", "multiply", "divide", "maximum", "minimum")
"""Functions of two elements, by their number."""

_THREE, _SIX, _SIXTH = np.float32(3), np.float32(6), np.float32(1 / 6)


@inlined
def unary(number, x, out, a, b):
    """Apply a function of `UNARY` to x, element by element; ``out`` may be x itself."""
    count = len(x)
    if number == 0:
        for i in range(count):
            out[i] = x[i]
    elif number == 1:
        for i in range(count):
            v = x[i]
            v = a if v < a else v
            out[i] = b if v > b else v
    elif number == 2:
        for i in range(count):
            out[i] = gelu(x[i])
    elif number == 3:
        for i in range(count):
            out[i] = gelu_tanh(x[i])
    elif number == 4:
        for i in range(count):
            out[i] = sigmoid(x[i])
    elif number == 5:
        for i in range(count):
            out[i] = x[i] * sigmoid(x[i])
    elif number == 6:
        for i in range(count):
            out[i] = tanh(x[i])
    elif number == 7:
        for i in range(count):
            out[i] = exp(x[i])
    elif number == 8:
        for i in range(count):
            out[i] = x[i] * min(max(x[i] + _THREE, ZERO), _SIX) * _SIXTH
    elif number == 9:
        for i in range(count):
            out[i] = min(max(x[i] * _SIXTH + HALF, ZERO), ONE)
    elif number == 10:
        for i in range(count):
            v = x[i]
            out[i] = v if v > ZERO else a * (exp(v) - ONE)
    elif number == 11:
        for i in range(count):
            out[i] = np.sqrt(x[i])
    elif number == 12:
        for i in range(count):
            out[i] = -x[i]
    elif number == 13:
        for i in range(count):
            out[i] = abs(x[i])


@inlined
def binary(number, x, y, out):
    """Apply a function of `BINARY` to x and y; an array of one element is combined with all of the other."""
    count = len(out)
    if len(x) == 1 and count > 1:
        _binary_left(number, x[0], y, out)
    elif len(y) == 1 and count > 1:
        _binary_right(number, x, y[0], out)
    elif number == 0:
        for i in range(count):
            out[i] = x[i] + y[i]
    elif number == 1:
        for i in range(count):
            out[i] = x[i] - y[i]
    elif number == 2:
        for i in range(count):
            out[i] = x[i] * y[i]
    elif number == 3:
        for i in range(count):
            out[i] = x[i] / y[i]
    elif number == 4:
        for i in range(count):
            v, w = x[i], y[i]
            out[i] = v if v > w or v != v else w
    elif number == 5:
        for i in range(count):
            v, w = x[i], y[i]
            out[i] = v if v < w or v != v else w


@inlined
def _binary_right(number, x, w, out):
    count = len(out)
    if number == 0:
        for i in range(count):
            out[i] = x[i] + w
    elif number == 1:
        for i in range(count):
            out[i] = x[i] - w
    elif number == 2:
        for i in range(count):
            out[i] = x[i] * w
    elif number == 3:
        for i in range(count):
            out[i] = x[i] / w
    elif number == 4:
        for i in range(count):
            v = x[i]
            out[i] = v if v > w or v != v else w
    elif number == 5:
        for i in range(count):
            v = x[i]
            out[i] = v if v < w or v != v else w


@inlined
def _binary_left(number, v, y, out):
    count = len(out)
    if number == 0:
        for i in range(count):
            out[i] = v + y[i]
    elif number == 1:
        for i in range(count):
            out[i] = v - y[i]
    elif number == 2:
        for i in range(count):
            out[i] = v * y[i]
    elif number == 3:
        for i in range(count):
            out[i] = v / y[i]
    elif number == 4:
        for i in range(count):
            w = y[i]
            out[i] = v if v > w or v != v else w
    elif number == 5:
        for i in range(count):
            w = y[i]
            out[i] = v if v < w or v != v else w
