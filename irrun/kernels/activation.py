"""Activation functions of arrays of floats, computed in the dtype of the array.

Each works in one or two buffers of the size of its input, which is never written to. NaN stays NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from irrun.kernels.erf import erf

Array = npt.NDArray[Any]


def in_floats(function: Callable[..., Array], x: Array, *parameters: Any) -> Array:
    """``function(x, *parameters)``; integers are computed in float64 and rounded to the nearest, halves to even."""
    if x.dtype.kind == "f":
        return function(x, *parameters)
    return np.asarray(np.rint(function(x.astype(np.float64), *parameters)))


def softmax(x: Array, axis: int) -> Array:
    """exp(x) / sum(exp(x)) along an axis; one for a scalar."""
    if x.ndim == 0 or x.size == 0:
        return np.asarray(np.exp(x - x))
    result: Array = np.subtract(x, np.max(x, axis=axis, keepdims=True))
    np.exp(result, out=result)
    result /= np.sum(result, axis=axis, keepdims=True)
    return result


def log_softmax(x: Array, axis: int) -> Array:
    """log(softmax(x)) along an axis, without the overflow and underflow of the quotient; zero for a scalar."""
    if x.ndim == 0 or x.size == 0:
        return np.asarray(x - x)
    result: Array = np.subtract(x, np.max(x, axis=axis, keepdims=True))
    total = np.sum(np.exp(result), axis=axis, keepdims=True)
    result -= np.log(total, out=total)
    return result


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))."""
    result = np.negative(x, out=np.empty_like(x))
    np.exp(result, out=result)
    result += 1
    return np.reciprocal(result, out=result)


def swish(x: Array, beta: Array | None) -> Array:
    """x * sigmoid(beta * x); beta is one where it is None."""
    gate = sigmoid(x if beta is None else np.asarray(x * beta))
    gate *= x
    return gate


def gelu(x: Array) -> Array:
    """x * (1 + erf(x / sqrt(2))) / 2."""
    result = erf(np.asarray(x * x.dtype.type(math.sqrt(0.5))))
    result += 1
    result *= x
    result *= 0.5
    return result


def gelu_tanh(x: Array) -> Array:
    """The approximation x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2."""
    scale = math.sqrt(2 / math.pi)
    result = np.multiply(x, x, out=np.empty_like(x))
    result *= 0.044715 * scale
    result += scale
    result *= x
    np.tanh(result, out=result)
    result += 1
    result *= x
    result *= 0.5
    return result


def mish(x: Array) -> Array:
    """x * tanh(log(1 + exp(x))).

    With e = exp(x) the tangent is n / (n + 2), n = e * (e + 2), which is one from x = 20 on.
    """
    result = np.minimum(x, 20, out=np.empty_like(x))
    np.exp(result, out=result)
    result *= result + 2
    result /= result + 2
    result *= x
    return result


def softplus(x: Array) -> Array:
    """log(1 + exp(x)), written so that nothing overflows: max(x, 0) + log(1 + exp(-abs(x)))."""
    result = np.abs(x, out=np.empty_like(x))
    np.negative(result, out=result)
    np.exp(result, out=result)
    np.log1p(result, out=result)
    result += np.maximum(x, 0)
    return result


def softsign(x: Array) -> Array:
    """x / (1 + abs(x))."""
    result = np.abs(x, out=np.empty_like(x))
    result += 1
    return np.asarray(np.divide(x, result, out=result))


def elu(x: Array, alpha: float | Array) -> Array:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere."""
    result = np.minimum(x, 0, out=np.empty_like(x))
    np.expm1(result, out=result)
    result *= alpha
    result += np.maximum(x, 0)
    return result


def prelu(x: Array, slope: Array) -> Array:
    """x where it is not negative, slope * x elsewhere; ``slope`` broadcasts onto ``x``. Integers are taken too."""
    result = np.minimum(x, 0, out=np.empty_like(x))
    result *= slope
    result += np.maximum(x, 0)
    return result


def hard_sigmoid(x: Array, alpha: float | Array, beta: float | Array) -> Array:
    """alpha * x + beta, clipped to [0, 1]."""
    result = np.multiply(x, alpha, out=np.empty_like(x))
    result += beta
    return np.clip(result, 0, 1, out=result)


def hswish(x: Array) -> Array:
    """x * min(max(x + 3, 0), 6) / 6."""
    result = np.add(x, 3, out=np.empty_like(x))
    np.clip(result, 0, 6, out=result)
    result *= x
    result /= 6
    return result
