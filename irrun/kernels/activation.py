"""Activation functions of float arrays, computed in the dtype of the array. NaN stays NaN."""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.erf import erf
from irrun.kernels.threads import Array


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-x)))


def swish(x: Array, beta: Array | None = None) -> Array:
    """Return x * sigmoid(beta * x), with a beta of 1 for None."""
    return x * sigmoid(x if beta is None else x * np.asarray(beta).astype(x.dtype).reshape(()))


def gelu(x: Array) -> Array:
    """Return x * (1 + erf(x / sqrt(2))) / 2."""
    return np.asarray((1 + erf(np.asarray(x * math.sqrt(0.5)))) * 0.5 * x)


def gelu_tanh(x: Array) -> Array:
    """Return the approximation x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2."""
    scale = math.sqrt(2 / math.pi)
    return np.asarray((np.tanh((x * x * (0.044715 * scale) + scale) * x) + 1) * 0.5 * x)


def mish(x: Array) -> Array:
    """Return x * tanh(log(1 + exp(x))).

    With e = exp(x), the tanh is n / (n + 2) for n = e * (e + 2), which is 1 from x = 20 on.
    """
    e = np.exp(np.minimum(x, 20))
    n = e * (e + 2)
    return np.asarray(n / (n + 2) * x)


def softplus(x: Array) -> Array:
    """Return log(1 + exp(x)), computed without overflow as max(x, 0) + log(1 + exp(-abs(x)))."""
    return np.asarray(np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0))


def softsign(x: Array) -> Array:
    """Return x / (1 + abs(x))."""
    return np.asarray(x / (np.abs(x) + 1))


def elu(x: Array, alpha: float | Array) -> Array:
    """Return x where it is positive, alpha * (exp(x) - 1) elsewhere."""
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)) * alpha)


def prelu(x: Array, slope: Array | float) -> Array:
    """Return x where it is not negative, slope * x elsewhere; ``slope`` broadcasts to ``x``. Integers are allowed."""
    result = np.asarray(np.minimum(x, 0) * slope + np.maximum(x, 0))
    if not np.isfinite(slope).all():
        np.copyto(result, x, where=x >= 0)
    return result


def hard_sigmoid(x: Array, alpha: float | Array, beta: float | Array) -> Array:
    """Return alpha * x + beta, clipped to [0, 1]."""
    return np.asarray(np.clip(x * alpha + beta, 0, 1))


def hswish(x: Array) -> Array:
    """Return x * min(max(x + 3, 0), 6) / 6."""
    return np.asarray(np.clip(x + 3, 0, 6) / 6 * x)
