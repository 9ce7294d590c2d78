"""Base classes of elementwise activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from irrun.kernels.activation import in_floats
from irrun.kernels.elementwise import Elementwise, copied
from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar
from irrun.tensor.element_type import FLOAT, NUMERIC

T = TypeVar("T", NUMERIC)
F = TypeVar("T", FLOAT)


class Activation(Op):
    """A function of each element. Integers are computed in float64 and rounded to nearest."""

    inputs = (In("data", T),)
    outputs = (Out("output", T),)
    reads_slices = True
    function: ClassVar[Callable[..., Any]]

    def infer(self, data: Fact) -> Shape:
        return data.shape

    def run(self, data: Array) -> Array:
        return in_floats(type(self).function, data)

    def elementwise(self) -> Elementwise:
        return Elementwise(self.type.lower(), (), copied(type(self).function))


class FloatActivation(Activation):
    """An activation for floats only."""

    inputs = (In("data", F),)
    outputs = (Out("output", F),)
