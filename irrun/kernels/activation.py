"""Smooth activation functions of float arrays, computed in the dtype of the array.

Each needs one or two buffers of the size of its input, to which it only writes if that is ``out``. NaN stays NaN.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irrun.kernels.threads import Array


def sigmoid(x: Array, out: Array | None = None) -> Array:
    """Return 1 / (1 + exp(-x)). ``out`` may be x itself, here and below."""
    result = np.negative(x, out=np.empty_like(x) if out is None else out)
    np.exp(result, out=result)
    result += 1
    return np.asarray(np.reciprocal(result, out=result))


def swish(x: Array, beta: Array | None, out: Array | None = None) -> Array:
    """Return x * sigmoid(beta * x), with a beta of 1 for None."""
    gate = sigmoid(x if beta is None else x * np.asarray(beta).astype(x.dtype).reshape(()))
    return np.asarray(np.multiply(x, gate, out=gate if out is None else out))


def gelu(x: Array, out: Array | None = None) -> Array:
    """Return x * (1 + erf(x / sqrt(2))) / 2.

    In float32, erf is computed as tanh of an odd polynomial, with an error below 2e-7.
    """
    result = np.empty_like(x) if out is None else out
    (_gelu_single if x.dtype == np.float32 else _gelu_exact)(x, result)
    return result


def _gelu_exact(x: Array, out: Array) -> None:
    from irrun.kernels.erf import erf

    half = np.asarray(erf(np.asarray(x * x.dtype.type(math.sqrt(0.5)))))
    half += 1
    half *= 0.5
    np.multiply(half, x, out=out)


_GELU_REACH: Final = np.float32(5.9**2)
"""The x² above which erf(x / sqrt(2)) rounds to 1 in float32."""

# atanh(erf(x / sqrt(2))) / x = P(x²) on [0, 5.9], by reweighted least squares; the error of gelu is at most 7e-8.
_COEFFICIENTS: Final = (
    *(0.7978842161, 0.03633428351, -3.312999398e-05, -5.524015845e-05),
    *(3.969109459e-06, -1.334464095e-07, 1.805616419e-09),
)
_GELU: Final = tuple(np.float32(coefficient) for coefficient in _COEFFICIENTS)


def _gelu_single(x: Array, out: Array) -> None:
    square = np.multiply(x, x, out=np.empty_like(x))
    np.minimum(square, _GELU_REACH, out=square)
    total = np.multiply(square, _GELU[-1], out=np.empty_like(x))
    for coefficient in _GELU[-2:0:-1]:
        np.add(total, coefficient, out=total)
        np.multiply(total, square, out=total)
    np.add(total, _GELU[0], out=total)
    np.multiply(total, x, out=total)
    np.tanh(total, out=total)
    np.add(total, 1, out=total)
    np.multiply(total, 0.5, out=total)
    np.multiply(total, x, out=out)


def gelu_tanh(x: Array, out: Array | None = None) -> Array:
    """Return the approximation x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2."""
    scale = math.sqrt(2 / math.pi)
    total = np.multiply(x, x, out=np.empty_like(x))
    total *= 0.044715 * scale
    total += scale
    total *= x
    np.tanh(total, out=total)
    total += 1
    total *= 0.5
    return np.asarray(np.multiply(total, x, out=total if out is None else out))


def mish(x: Array) -> Array:
    """Return x * tanh(log(1 + exp(x))).

    With e = exp(x), the tanh is n / (n + 2) for n = e * (e + 2), which is 1 from x = 20 on.
    """
    result = np.minimum(x, 20, out=np.empty_like(x))
    np.exp(result, out=result)
    result *= result + 2
    result /= result + 2
    result *= x
    return result


def softplus(x: Array) -> Array:
    """Return log(1 + exp(x)), computed without overflow as max(x, 0) + log(1 + exp(-abs(x)))."""
    result = np.abs(x, out=np.empty_like(x))
    np.negative(result, out=result)
    np.exp(result, out=result)
    np.log1p(result, out=result)
    result += np.maximum(x, 0)
    return result


def softsign(x: Array) -> Array:
    """Return x / (1 + abs(x))."""
    result = np.abs(x, out=np.empty_like(x))
    result += 1
    return np.asarray(np.divide(x, result, out=result))


def elu(x: Array, alpha: float | Array) -> Array:
    """Return x where it is positive, alpha * (exp(x) - 1) elsewhere."""
    result = np.minimum(x, 0, out=np.empty_like(x))
    np.expm1(result, out=result)
    result *= alpha
    result += np.maximum(x, 0)
    if not np.isfinite(alpha).all():
        np.copyto(result, x, where=x > 0)
    return result


def prelu(x: Array, slope: Array | float) -> Array:
    """Return x where it is not negative, slope * x elsewhere; ``slope`` broadcasts to ``x``. Integers are allowed."""
    result = np.minimum(x, 0, out=np.empty_like(x))
    result *= slope
    result += np.maximum(x, 0)
    if not np.isfinite(slope).all():
        np.copyto(result, x, where=x >= 0)
    return result


def hard_sigmoid(x: Array, alpha: float | Array, beta: float | Array) -> Array:
    """Return alpha * x + beta, clipped to [0, 1]."""
    result = np.multiply(x, alpha, out=np.empty_like(x))
    result += beta
    return np.clip(result, 0, 1, out=result)


def hswish(x: Array) -> Array:
    """Return x * min(max(x + 3, 0), 6) / 6."""
    result = np.add(x, 3, out=np.empty_like(x))
    np.clip(result, 0, 6, out=result)
    result /= 6
    result *= x
    return result
