from __future__ import annotations

from irrun.ops import Array, Fact, Fold, In, Legacy, Op, Out, TypeVar, op
from irrun.tensor.element_type import ANY

T = TypeVar("T", ANY)


@op("Result", opset=1)
class Result(Op):
    """An output of the model."""

    inputs = (In("input", T),)
    outputs = (Out("output", T),)
    reads_slices = True
    legacy = (Legacy("order", until="2021.4"),)
    foldable = Fold.BOUNDS

    def infer(self, data: Fact) -> Fact:
        return data

    def run(self, data: Array) -> Array:
        return data
