from __future__ import annotations

from irrun.ops import Array, Fact, Fold, In, Op, Out, TypeVar, op
from irrun.tensor.element_type import ANY

T = TypeVar("T", ANY)


@op("Identity", opset=16)
class Identity(Op):
    """Return the input unchanged."""

    inputs = (In("input", T),)
    outputs = (Out("output", T),)
    foldable = Fold.DIMS

    def infer(self, data: Fact) -> Fact:
        return data

    def run(self, data: Array) -> Array:
        return data
