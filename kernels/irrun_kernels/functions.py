"""Functions of one element, and loops over them. Loops without branches, which LLVM turns into vectors."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.copies import copy_rows
from irrun_kernels.native import floats, inlined, power_of_two, scalar

ONE: Final = np.float32(1)
HALF: Final = np.float32(0.5)
ZERO: Final = np.float32(0)

_LOG2E = np.float32(1.44269504088896341)
_LN2_HIGH = np.float32(0.693359375)
_LN2_LOW = np.float32(-2.12194440e-4)
_E2, _E3, _E4 = np.float32(0.5), np.float32(0.16666665459), np.float32(0.041665795894)
_E5, _E6, _E7 = np.float32(0.0083334519073), np.float32(0.0013981999507), np.float32(0.00019875691500)
_ROUND = np.float32(12582912)
_LOWEST, _HIGHEST, _MOST = np.float32(-87.33), np.float32(89), np.float32(127)


@scalar
def _clip(x: Any, low: Any, high: Any) -> Any:
    """The nearest number within bounds; NaN stays."""
    x = low if x < low else x
    return high if x > high else x


@scalar
def exp(x: Any) -> Any:
    """The exponential, within 2 ulp; inf and NaN as it should be, 0 for what is smaller than any normal number."""
    y = _clip(x, _LOWEST, _HIGHEST)
    n = np.float32(y * _LOG2E + _ROUND) - _ROUND
    n = _MOST if n > _MOST else n
    r = y - n * _LN2_HIGH
    r = r - n * _LN2_LOW
    p = _E7 * r + _E6
    p = p * r + _E5
    p = p * r + _E4
    p = p * r + _E3
    p = p * r + _E2
    p = p * (r * r) + (r + ONE)
    return ZERO if x < _LOWEST else p * power_of_two(n)


_T1, _T3, _T5 = np.float32(4.89352455891786e-03), np.float32(6.37261928875436e-04), np.float32(1.48572235717979e-05)
_T7, _T9, _T11 = np.float32(5.12229709037114e-08), np.float32(-8.60467152213735e-11), np.float32(2.00018790482477e-13)
_T13 = np.float32(-2.76076847742355e-16)
_U0, _U2, _U4 = np.float32(4.89352518554385e-03), np.float32(2.26843463243900e-03), np.float32(1.18534705686654e-04)
_U6 = np.float32(1.19825839466702e-06)
_FLAT = np.float32(7.90531110763549805)


@scalar
def tanh(x: Any) -> Any:
    """The hyperbolic tangent: a quotient of polynomials, within 3 ulp."""
    y = _clip(x, -_FLAT, _FLAT)
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
    value = ONE if x > _FLAT else value
    return -ONE if x < -_FLAT else value


_G0, _G1, _G2 = np.float32(0.7978842161), np.float32(0.03633428351), np.float32(-3.312999398e-05)
_G3, _G4, _G5 = np.float32(-5.524015845e-05), np.float32(3.969109459e-06), np.float32(-1.334464095e-07)
_G6 = np.float32(1.805616419e-09)
_REACH = np.float32(5.9**2)


@scalar
def gelu(x: Any) -> Any:
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


@scalar
def gelu_tanh(x: Any) -> Any:
    """x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2."""
    return x * (HALF * tanh(x * (_TANH_CUBE * x * x + _TANH_SCALE)) + HALF)


@scalar
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return ONE / (ONE + exp(-x))


RUN: Final = 1024
"""Elements that go through functions while they are in the nearest cache."""

UNARY: Final = (
    *("clamp", "gelu", "gelu_tanh", "sigmoid", "swish", "tanh", "exp", "hswish", "hsigmoid", "elu", "sqrt"),
    *("negative", "abs", "rint"),
)
"""Functions of one element and up to two parameters, by their number; ``rint`` is for numbers below 2**22."""

BINARY: Final = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "subtract_from", "divide_into")
"""Functions of two elements, by their number; the last two have their operands the other way round."""


class End(NamedTuple):
    """The activation of a product: bounds that it is clipped to, then a function of `UNARY`, -1 for none."""

    low: float = -np.inf
    high: float = np.inf
    function: int = -1
    alpha: float = 0.0
    beta: float = 0.0


_THREE, _SIX, _SIXTH = np.float32(3), np.float32(6), np.float32(1 / 6)


@inlined
def unary(number: int, x: Any, a: Any, b: Any) -> None:
    """Replace x by a function of `UNARY`, element by element.

    Loops have one array each: with two that may be the same, LLVM makes no vectors.
    """
    count = len(x)
    if number == 0:
        for i in range(count):
            v = x[i]
            v = a if v < a else v
            x[i] = b if v > b else v
    elif number == 1:
        for i in range(count):
            x[i] = gelu(x[i])
    elif number == 2:
        for i in range(count):
            x[i] = gelu_tanh(x[i])
    elif number == 3:
        for i in range(count):
            x[i] = sigmoid(x[i])
    elif number == 4:
        for i in range(count):
            x[i] *= sigmoid(x[i])
    elif number == 5:
        for i in range(count):
            x[i] = tanh(x[i])
    elif number == 6:
        for i in range(count):
            x[i] = exp(x[i])
    elif number == 7:
        for i in range(count):
            x[i] *= _clip(x[i] + _THREE, ZERO, _SIX) * _SIXTH
    elif number == 8:
        for i in range(count):
            x[i] = _clip(x[i] * _SIXTH + HALF, ZERO, ONE)
    elif number == 9:
        for i in range(count):
            v = x[i]
            x[i] = a * (exp(v) - ONE) if v < ZERO else v
    elif number == 10:
        for i in range(count):
            x[i] = np.sqrt(x[i])
    elif number == 11:
        for i in range(count):
            x[i] = -x[i]
    elif number == 12:
        for i in range(count):
            x[i] = abs(x[i])
    elif number == 13:
        for i in range(count):
            x[i] = np.float32(x[i] + _ROUND) - _ROUND


@inlined
def apply_to_rows(number: int, x: int, step: int, rows: int, columns: int, a: Any, b: Any, workspace: int) -> None:
    """Replace rows that are ``step`` bytes apart by a function of `UNARY`; workspace has room for `RUN` f32.

    Short rows are concatenated first: loops over few elements are slow.
    """
    if step == 4 * columns:
        unary(number, floats(x, rows * columns), a, b)
        return
    if 4 * columns > RUN:
        for row in range(rows):
            unary(number, floats(x + row * step, columns), a, b)
        return
    each = RUN // columns
    for first in range(0, rows, each):
        count = min(each, rows - first)
        copy_rows(x + first * step, step, workspace, 4 * columns, count, columns)
        unary(number, floats(workspace, count * columns), a, b)
        copy_rows(workspace, 4 * columns, x + first * step, step, count, columns)


@inlined
def binary(number: int, x: Any, y: Any) -> None:
    """Replace x by a function of `BINARY` of x and y; y has the size of x, or one element."""
    if len(y) == 1:
        _with_one(number, x, y[0])
        return
    count = len(x)
    if number == 0:
        for i in range(count):
            x[i] += y[i]
    elif number == 1:
        for i in range(count):
            x[i] -= y[i]
    elif number == 2:
        for i in range(count):
            x[i] *= y[i]
    elif number == 3:
        for i in range(count):
            x[i] /= y[i]
    elif number == 4:
        for i in range(count):
            x[i] = y[i] if y[i] > x[i] or y[i] != y[i] else x[i]
    elif number == 5:
        for i in range(count):
            x[i] = y[i] if y[i] < x[i] or y[i] != y[i] else x[i]
    elif number == 6:
        for i in range(count):
            x[i] = y[i] - x[i]
    elif number == 7:
        for i in range(count):
            x[i] = y[i] / x[i]


@inlined
def _with_one(number: int, x: Any, w: Any) -> None:
    count = len(x)
    if number == 0:
        for i in range(count):
            x[i] += w
    elif number == 1:
        for i in range(count):
            x[i] -= w
    elif number == 2:
        for i in range(count):
            x[i] *= w
    elif number == 3:
        for i in range(count):
            x[i] /= w
    elif number == 4:
        for i in range(count):
            x[i] = w if w > x[i] or w != w else x[i]
    elif number == 5:
        for i in range(count):
            x[i] = w if w < x[i] or w != w else x[i]
    elif number == 6:
        for i in range(count):
            x[i] = w - x[i]
    elif number == 7:
        for i in range(count):
            x[i] = w / x[i]


@inlined
def assign(x: Any, y: Any) -> None:
    """Copy y to x; y has the size of x, or one element."""
    if len(y) == 1:
        for i in range(len(x)):
            x[i] = y[0]
    else:
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
