"""Activations, each written once for all types of floats, in terms of a few functions of the type."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from irrun_kernels.native import scalar

Function = Callable[..., Any]


@scalar
def clip(x: Any, low: Any, high: Any) -> Any:
    """The nearest number within bounds; NaN stays."""
    x = low if x < low else x
    return high if x > high else x


def activations(
    number: Callable[[float], Any], exp: Function, expm1: Function, tanh: Function, erf_of_half: Function
) -> Mapping[str, Function]:
    """Return activations by their names, as functions of one element and parameters.

    ``number`` makes a constant of the type, ``expm1`` is for numbers below 0, ``erf_of_half`` is erf(x / sqrt(2)).
    """
    zero, half, one, three, six, sixth = map(number, (0, 0.5, 1, 3, 6, 1 / 6))
    scale, cube = map(number, (math.sqrt(2 / math.pi), 0.044715 * math.sqrt(2 / math.pi)))

    @scalar
    def sigmoid(x: Any) -> Any:
        return one / (one + exp(-x))

    @scalar
    def swish(x: Any) -> Any:
        return x * (one / (one + exp(-x)))

    @scalar
    def scaled_swish(x: Any, beta: Any) -> Any:
        return x * (one / (one + exp(-(beta * x))))

    @scalar
    def hswish(x: Any) -> Any:
        return x * (clip(x + three, zero, six) * sixth)

    @scalar
    def hsigmoid(x: Any) -> Any:
        return clip(x * sixth + half, zero, one)

    @scalar
    def elu(x: Any, alpha: Any) -> Any:
        below = expm1(x)
        return alpha * below if x < zero else x

    @scalar
    def gelu(x: Any) -> Any:
        return x * (half * erf_of_half(x) + half)

    @scalar
    def gelu_tanh(x: Any) -> Any:
        return x * (half * tanh(x * (cube * x * x + scale)) + half)

    return {
        "exp": exp,
        "tanh": tanh,
        "sigmoid": sigmoid,
        "swish": swish,
        "scaled_swish": scaled_swish,
        "hswish": hswish,
        "hsigmoid": hsigmoid,
        "elu": elu,
        "gelu": gelu,
        "gelu_tanh": gelu_tanh,
    }
