from __future__ import annotations

from typing import Literal

from irrun.kernels.topk import search_sorted
from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import FLAGS
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=FLAGS)


@op("SearchSorted", opset=15)
class SearchSorted(Op):
    """The indices at which values can be inserted into ascending sequences so that these stay ascending.

    The sequences are along the last axis. A 1D sequence is used for all values.
    """

    inputs = (In("sorted_sequence", T, "ascending on the last axis"), In("values", T, "the values to search for"))
    outputs = (Out("output", "output_type", "the shape of values"),)

    right_mode: bool = attr(False, doc="whether to return the index after equal elements instead of before")
    output_type: Literal["i32", "i64"] = attr("i64", doc="the type of the indices")

    def infer(self, sequence: Fact, values: Fact) -> Shape:
        if sequence.rank == 0:
            raise OpError("the sorted sequence is a scalar, expected rank 1 or more", input=0)
        if sequence.shape.dims is None or len(sequence.shape) == 1:
            return values.shape
        if values.shape.dims is None:
            return Shape([*sequence.shape[:-1], Shape.unknown(1)[0]])
        if len(values.shape) != len(sequence.shape):
            raise OpError(f"values have rank {len(values.shape)}, expected {len(sequence.shape)}", input=1)
        pairs = zip(sequence.shape[:-1], values.shape[:-1], strict=True)
        leading = [merge_dims(a, b, f"sizes {axis} of both inputs", input=1) for axis, (a, b) in enumerate(pairs)]
        return Shape([*leading, values.shape[-1]])

    def run(self, sequence: Array, values: Array) -> Array:
        return search_sorted(sequence, values, right=self.right_mode)
