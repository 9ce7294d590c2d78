"""Elementwise operations of one tensor as functions that write to an existing array."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from irrun.kernels import activation as kernels
from irrun.ops import Array, Op
from irrun.ops.activation.clamp import Clamp
from irrun.ops.activation.elementwise import Activation
from irrun.ops.activation.elu import Elu
from irrun.ops.activation.gelu import GeluV2, GeluV7
from irrun.ops.activation.hsigmoid import HSigmoid
from irrun.ops.activation.relu import ReLU
from irrun.ops.activation.sigmoid import Sigmoid
from irrun.ops.activation.swish import Swish
from irrun.ops.arithmetic.elementwise import FloatFunction, Unary, Whole
from irrun.ops.arithmetic.sqrt import Sqrt


@dataclass(frozen=True, slots=True)
class Elementwise:
    """An elementwise function of an array, identified by its name and parameters.

    ``function(x, out)`` computes it; both arguments may be the same array.
    """

    name: str
    parameters: tuple[float, ...]
    function: Callable[..., Any] = field(compare=False)

    def __call__(self, x: Array, out: Array) -> None:
        self.function(x, out=out)

    def in_place(self, x: Array) -> None:
        """Overwrite an array with the function of its elements."""
        self.function(x, out=x)


_PLAIN = (Unary.run, FloatFunction.run, Whole.run, Sqrt.run)
"""The ``run`` methods that only apply ``function`` to floats."""


def elementwise(op: Op) -> Elementwise | None:
    """Return the elementwise function that an operation computes on one float tensor; None for other operations."""
    if isinstance(op, ReLU):
        return Elementwise("clamp", (0.0, np.inf), kernels.relu)
    if isinstance(op, Clamp):
        return Elementwise("clamp", (op.min, op.max), partial(_clamp, op.min, op.max))
    if isinstance(op, GeluV2) or (isinstance(op, GeluV7) and op.approximation_mode == "erf"):
        return Elementwise("gelu", (), kernels.gelu)
    if isinstance(op, GeluV7):
        return Elementwise("gelu_tanh", (), kernels.gelu_tanh)
    if isinstance(op, Sigmoid):
        return Elementwise("sigmoid", (), kernels.sigmoid)
    if isinstance(op, Swish):
        return Elementwise("swish", (), _swish)
    if isinstance(op, HSigmoid):
        return Elementwise("hsigmoid", (), _copied(lambda x: kernels.hard_sigmoid(x, 1 / 6, 0.5)))
    if isinstance(op, Elu):
        alpha = op.alpha
        return Elementwise("elu", (alpha,), _copied(lambda x: kernels.elu(x, alpha)))
    if isinstance(op, Unary) and type(op).run in _PLAIN:
        function = type(op).function
        return Elementwise(op.type.lower(), (), function if isinstance(function, np.ufunc) else _copied(function))
    if isinstance(op, Activation) and type(op).run is Activation.run:
        return Elementwise(op.type.lower(), (), _copied(type(op).function))
    return None


def _swish(x: Array, out: Array) -> None:
    kernels.swish(x, None, out)


def _clamp(low: float, high: float, x: Array, out: Array) -> None:
    x.clip(low, high, out=out)


def _copied(function: Callable[[Array], Any]) -> Callable[..., Any]:
    return lambda x, out: np.copyto(out, function(x))


def in_place(function: Elementwise | None) -> Callable[[Array], object] | None:
    """Return a function that overwrites an array with the function of its elements."""
    return None if function is None else function.in_place
