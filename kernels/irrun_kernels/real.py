"""Functions of one element in f64, which f32 takes as well: within 4 ulp, without branches unless it is said.

Polynomials are Taylor's, or were fitted for this module.
"""

from __future__ import annotations

import math
from typing import Any, Final

from irrun_kernels import ir
from irrun_kernels.functions import clip, polynomial
from irrun_kernels.native import intrinsic, of_llvm, scalar
from irrun_kernels.vectors import Vectors

rint, floor, ceil, whole = (of_llvm(name, "f64") for name in ("rint", "floor", "ceil", "trunc"))
copysign, multiply_add = of_llvm("copysign", "f64", 2), of_llvm("fma", "f64", 3)


@intrinsic("int64", "float64")
def bits(v: Vectors, x: Any) -> Any:
    return v.builder.bitcast(x, v.long)


@intrinsic("float64", "int64")
def from_bits(v: Vectors, x: Any) -> Any:
    return v.builder.bitcast(x, ir.DoubleType())


_INF: Final = math.inf
_NAN: Final = math.nan
_LOG2E: Final = math.log2(math.e)
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
WHOLE: Final = 6755399441055744.0
"""1.5 * 2**52: added to an integer, puts it into the lowest bits."""


@scalar
def round_away(x: Any) -> Any:
    """The nearest integer, ties away from zero."""
    near = whole(x)
    return near + copysign(1.0, x) if abs(x - near) >= 0.5 else near


@scalar
def _power_of_two(n: Any) -> Any:
    """2**n for an integer from -1022 to 1024."""
    return from_bits((bits(n + WHOLE) + 1023) << 52)


_exp_tail = polynomial(*(1 / math.factorial(n) for n in range(2, 14)))


@scalar
def _exponent_and_rest(x: Any) -> Any:
    """n and exp(x - n * log(2)) - 1, where n is the nearest integer to x / log(2)."""
    n = rint(x * _LOG2E)
    r = x - n * _LN2_HIGH
    r = r - n * _LN2_LOW
    return n, _exp_tail(r) * (r * r) + r


@scalar
def exp(x: Any) -> Any:
    """The exponential."""
    n, p = _exponent_and_rest(clip(x, -746.0, 710.0))
    half = whole(n * 0.5)
    return (p + 1.0) * _power_of_two(half) * _power_of_two(n - half)


_log_tail = polynomial(*(2 / n for n in range(3, 24, 2)))


@scalar
def log(x: Any) -> Any:
    """The natural logarithm."""
    is_tiny = x < 2.2250738585072014e-308
    y = x * 18014398509481984.0 if is_tiny else x
    word = bits(y)
    exponent = (word - 0x3FE6A09E667F3BCD) >> 52
    f = from_bits(word - (exponent << 52)) - 1.0
    n = from_bits(exponent + 0x4338000000000000) - WHOLE - (54.0 if is_tiny else 0.0)
    s = f / (2.0 + f)
    z = s * s
    # 2 * s is f - s * f.
    value = n * _LN2_HIGH + (f - (s * (f - _log_tail(z) * z) - n * _LN2_LOW))
    value = value if x < _INF else x
    value = -_INF if x == 0.0 else value
    return _NAN if x < 0.0 else value


@scalar
def log1p(x: Any) -> Any:
    """log(1 + x)."""
    u = 1.0 + x
    lost = (x - (u - 1.0)) / u
    return log(u) + (lost if 0.0 < u < _INF else 0.0)


@scalar
def power(x: Any, y: Any) -> Any:
    """x to the power of y; the relative error is that of y * log(x), which suffices for f32."""
    a = abs(x)
    value = exp(y * log(a))
    value = 1.0 if a == 1.0 else value
    is_odd = rint(y) == y and rint(y * 0.5) != y * 0.5
    value = _NAN if -_INF < x < 0.0 and rint(y) != y else value
    value = copysign(value, x) if is_odd else value
    return 1.0 if y == 0.0 or x == 1.0 else value


@scalar
def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return log1p(exp(-abs(x))) + (0.0 if x < 0.0 else x)


@scalar
def mish(x: Any) -> Any:
    """x * tanh(log(1 + exp(x))), which is x from 20 on."""
    e = exp(20.0 if x > 20.0 else x)
    n = e * (e + 2.0)
    return x * (n / (n + 2.0))


_erf_of_square = polynomial(
    *(1.1283791670955126, -0.37612638903183543, 0.11283791670945006, -0.02686617064323777, 0.0052239776071164225),
    *(-0.0008548325975389692, 0.00012055294904839707, -1.492473690741966e-05, 1.6447424703317362e-06),
    *(-1.6208483801871705e-07, 1.3720064546777686e-08, -7.795898827002142e-10),
)
_erf_tail = polynomial(
    *(1.2530080582697296, -0.13562110612458128, -0.04756229435346764, 0.12964515870277799, -0.1192736634131923),
    *(0.06830802734390644, -0.02377051501976663, 0.0025293917508951618, 0.0018886926936596247),
    *(-0.0007798294517483084, -0.00010518763242323468, 0.0001250512141750135, 5.111019944653237e-06),
    *(-1.9724332775436143e-05, -1.0474106479832425e-06, 2.284982547947005e-06),
)


@scalar
def erf(x: Any) -> Any:
    """The error function: up to 1 a polynomial, above 1 - exp(-x**2) * q((x - 3) / (x + 3)) / (1 + 2 * x)."""
    a = 6.0 if abs(x) > 6.0 else abs(x)
    square = a * a
    tail = exp(-square) * _erf_tail((a - 3.0) / (a + 3.0)) / (1.0 + 2.0 * a)
    return copysign(a * _erf_of_square(square) if a < 1.0 else 1.0 - tail, x)
