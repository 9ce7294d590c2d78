"""Base classes of elementwise activations."""

from __future__ import annotations

from irrun.kernels.casting import in_floats
from irrun.ops import Array, In, Out, TypeVar
from irrun.ops._declared.arithmetic.elementwise import Unary
from irrun.tensor.element_type import FLOAT

F = TypeVar("T", FLOAT)


class Activation(Unary):
    """A function of each element. Integers are computed in float64 and rounded to nearest."""

    def run(self, data: Array) -> Array:
        return in_floats(type(self).function, data)


class FloatActivation(Activation):
    """An activation for floats only."""

    inputs = (In("data", F),)
    outputs = (Out("output", F),)
