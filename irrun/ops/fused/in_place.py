"""Activations as functions that overwrite their argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irrun.kernels import activation as kernels
from irrun.ops import Array, Op
from irrun.ops.activation.clamp import Clamp
from irrun.ops.activation.elementwise import Activation
from irrun.ops.activation.elu import Elu
from irrun.ops.activation.gelu import GeluV7
from irrun.ops.activation.hsigmoid import HSigmoid
from irrun.ops.activation.relu import ReLU
from irrun.ops.activation.swish import Swish
from irrun.ops.arithmetic.elementwise import FloatFunction, Unary, Whole
from irrun.ops.arithmetic.sqrt import Sqrt

InPlace = Callable[[Array], object]

_PLAIN = (Unary.run, FloatFunction.run, Whole.run, Sqrt.run)
"""What is, for floats, nothing but ``function``."""


def in_place(op: Op) -> InPlace | None:
    """The function of one tensor of floats that an operation computes element by element; None where it is none."""
    if isinstance(op, ReLU):
        return _relu
    if isinstance(op, Clamp):
        return _clamp(op.min, op.max)
    into = into_other(op)
    if into is None:
        return None
    return lambda x: into(x, x)


def into_other(op: Op) -> Callable[[Array, Array], object] | None:
    """The same as a function of an array and of the array to write to, which may be one."""
    if isinstance(op, ReLU):
        return lambda x, out: np.maximum(x, 0, out=out)
    if isinstance(op, Clamp):
        low, high = op.min, op.max
        return lambda x, out: x.clip(low, high, out=out)
    if isinstance(op, Unary) and type(op).run in _PLAIN:
        function = type(op).function
        return function if isinstance(function, np.ufunc) else _copied(function)
    if isinstance(op, HSigmoid):
        return lambda x, out: np.copyto(out, kernels.hard_sigmoid(x, 1 / 6, 0.5))
    if isinstance(op, Elu):
        alpha = op.alpha
        return lambda x, out: np.copyto(out, kernels.elu(x, alpha))
    if isinstance(op, GeluV7):
        return _copied(kernels.gelu if op.approximation_mode == "erf" else kernels.gelu_tanh)
    if isinstance(op, Swish):
        return _copied(lambda x: kernels.swish(x, None))
    if isinstance(op, Activation) and type(op).run is Activation.run:
        return _copied(type(op).function)
    return None


def _relu(x: Array) -> None:
    np.maximum(x, 0, out=x)


def _clamp(low: float, high: float) -> InPlace:
    if low == 0:

        def above_zero(x: Array) -> None:
            np.maximum(x, 0, out=x)
            np.minimum(x, high, out=x)

        return above_zero
    return lambda x: x.clip(low, high, out=x)


def _copied(function: Callable[[Array], Any]) -> Callable[[Array, Array], object]:
    return lambda x, out: np.copyto(out, function(x))
