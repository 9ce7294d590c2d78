from __future__ import annotations

from irrun.ops import Array, Fact, In, Op, Out, Shape, TypeVar, op
from irrun.ops._declared.tokenizers.ports import same_shape
from irrun.tensor.element_type import ANY, I32

T = TypeVar("T", ANY)


@op("RaggedTensorPack", opset="extension")
class RaggedTensorPack(Op):
    """The elements of a ragged tensor, without its rows."""

    inputs = (
        In("begins", I32, "the first element of each row"),
        In("ends", I32, "the end of each row, exclusive"),
        In("data", T, "the elements of all rows"),
    )
    outputs = (Out("output", T, "data as it is"),)

    def infer(self, begins: Fact, ends: Fact, data: Fact) -> Shape:
        same_shape(begins, ends, input=0)
        return data.shape

    def run(self, begins: Array, ends: Array, data: Array) -> Array:
        return data
