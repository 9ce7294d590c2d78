"""Activations, each written once for all types of floats, in terms of a few functions of the type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from irrun_kernels.native import scalar

Function = Callable[..., Any]


@scalar
def clip(x: Any, low: Any, high: Any) -> Any:
    """The nearest number within bounds; NaN stays."""
    x = low if x < low else x
    return high if x > high else x


class ElementFunction(NamedTuple):
    """A function of elements whose types are ``operands``, a letter each, to one of the type ``result``.

    ``cost`` is nanoseconds. If the function is ``wide``, it gets f64 for f32; one of ``rows`` gets the addresses of the
    result and of the operands, and the number of elements. The function ``far`` takes the place of
    it where ``is_far`` says so of the operands; it may have branches. Products and windows may have a function that is
    ``in_epilogues``: that of f32, with up to two parameters.
    """

    name: str
    operands: str
    result: str
    cost: float
    function: Callable[..., Any]
    wide: bool = False
    far: Callable[..., Any] | None = None
    is_far: Callable[..., Any] | None = None
    in_epilogues: bool = False
    rows: bool = False


def activations(
    kind: str,
    usual_cost: float,
    number: Callable[[float], Any],
    exp: Function,
    expm1: Function,
    tanh: Function,
    erf_of_half: Function,
) -> list[ElementFunction]:
    """Return all activations of elements of a type, in terms of its functions.

    Those that compute an exponential have the usual cost. ``number`` makes a constant of the type, ``expm1`` is for
    numbers below 0, ``erf_of_half`` is erf(x / sqrt(2)).
    """
    zero, half, one, three, six, sixth = map(number, (0, 0.5, 1, 3, 6, 1 / 6))
    scale, cube = map(number, (math.sqrt(2 / math.pi), 0.044715 * math.sqrt(2 / math.pi)))
    given = {"exp": exp, "tanh": tanh}.items()
    found = [ElementFunction(name, kind, kind, usual_cost, function, in_epilogues=True) for name, function in given]

    def activation(cost: float = usual_cost) -> Callable[[Function], None]:
        def declare(function: Function) -> None:
            operands = kind * function.__code__.co_argcount
            made = scalar(function)
            found.append(ElementFunction(function.__name__, operands, kind, cost, made, in_epilogues=True))

        return declare

    @activation()
    def sigmoid(x: Any) -> Any:
        return one / (one + exp(-x))

    @activation()
    def swish(x: Any) -> Any:
        return x * (one / (one + exp(-x)))

    @activation(0.4)
    def hswish(x: Any) -> Any:
        return x * (clip(x + three, zero, six) * sixth)

    @activation(0.4)
    def hsigmoid(x: Any) -> Any:
        return clip(x * sixth + half, zero, one)

    @activation()
    def elu(x: Any, alpha: Any) -> Any:
        below = expm1(x)
        return alpha * below if x < zero else x

    @activation()
    def gelu(x: Any) -> Any:
        return x * (half * erf_of_half(x) + half)

    @activation()
    def gelu_tanh(x: Any) -> Any:
        return x * (half * tanh(x * (cube * x * x + scale)) + half)

    return found
