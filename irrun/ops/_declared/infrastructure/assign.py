from __future__ import annotations

from irrun.ops import Array, Fact, Fold, In, Op, Out, Shape, TypeVar, attr, op
from irrun.ops.context import Variables
from irrun.tensor.element_type import ANY

T = TypeVar("T", ANY)


@op("Assign", opset=3)
class Assign3(Op):
    """Write a variable for the next inference."""

    inputs = (In("new_value", T),)
    outputs = (Out("output", T),)
    foldable = Fold.NEVER

    variable_id: str = attr(doc="the name of the variable")

    def infer(self, value: Fact) -> Shape:
        return value.shape

    def run(self, value: Array, *, state: Variables) -> Array:
        state.write(self.variable_id, value)
        return value


@op("Assign", opset=6)
class Assign6(Op):
    """Write a variable for the next inference."""

    inputs = (In("new_value", T),)
    outputs = (Out("output", T),)
    foldable = Fold.NEVER

    variable_id: str = attr(doc="the name of the variable")

    def infer(self, value: Fact) -> Shape:
        return value.shape

    def run(self, value: Array, *, state: Variables) -> Array:
        state.write(self.variable_id, value)
        return value
