"""Activations as functions that overwrite their argument."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

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

InPlace = Callable[[Array], object]


class Into(Protocol):
    """Writes a function of the elements of x to ``out``, which may be x itself."""

    def __call__(self, x: Array, /, *, out: Array) -> object: ...


@dataclass(frozen=True, slots=True)
class _InPlace:
    """Two are equal where both are sure to be the same function."""

    into: Into

    def __call__(self, x: Array) -> None:
        self.into(x, out=x)


_PLAIN = (Unary.run, FloatFunction.run, Whole.run, Sqrt.run)
"""What is, for floats, nothing but ``function``."""


def in_place(op: Op) -> InPlace | None:
    """The function of one tensor of floats that an operation computes element by element; None where it is none."""
    into = into_other(op)
    if into is None:
        return None
    return _InPlace(into)


def into_other(op: Op) -> Into | None:
    """The same as a function that writes to another array, or to the same."""
    if isinstance(op, ReLU):
        return kernels.relu
    if isinstance(op, Clamp):
        return _clamp(op.min, op.max)
    if isinstance(op, GeluV2) or (isinstance(op, GeluV7) and op.approximation_mode == "erf"):
        return kernels.gelu
    if isinstance(op, GeluV7):
        return kernels.gelu_tanh
    if isinstance(op, Sigmoid):
        return kernels.sigmoid
    if isinstance(op, Swish):
        return _swish
    if isinstance(op, HSigmoid):
        return _copied(lambda x: kernels.hard_sigmoid(x, 1 / 6, 0.5))
    if isinstance(op, Elu):
        alpha = op.alpha
        return _copied(lambda x: kernels.elu(x, alpha))
    if isinstance(op, Unary) and type(op).run in _PLAIN:
        function = type(op).function
        return function if isinstance(function, np.ufunc) else _copied(function)
    if isinstance(op, Activation) and type(op).run is Activation.run:
        return _copied(type(op).function)
    return None


def _swish(x: Array, out: Array) -> None:
    kernels.swish(x, None, out)


def _clamp(low: float, high: float) -> Into:
    return lambda x, out: x.clip(low, high, out=out)


def _copied(function: Callable[[Array], Any]) -> Into:
    return lambda x, out: np.copyto(out, function(x))
