"""What the element-wise activations have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar
from irrun.tensor.element_type import FLOAT, NUMERIC

T = TypeVar("T", NUMERIC)
F = TypeVar("T", FLOAT)


class Activation(Op):
    """A function of each element; the result has the type and shape of the input.

    Integers are computed in float64 and truncated toward zero.
    """

    inputs = (In("data", T),)
    outputs = (Out("output", T),)
    function: ClassVar[Callable[..., Any]]

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        return np.asarray(type(self).function(data))


class FloatActivation(Activation):
    """An activation of floats only."""

    inputs = (In("data", F),)
    outputs = (Out("output", F),)
