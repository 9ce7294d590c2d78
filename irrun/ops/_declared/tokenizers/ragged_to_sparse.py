from __future__ import annotations

import numpy as np

from irrun.kernels.text.strings import offsets
from irrun.ops import Array, Dim, Fact, In, Op, Out, Shape, op
from irrun.ops._declared.tokenizers.ports import same_shape
from irrun.tensor.element_type import I32


@op("RaggedToSparse", opset="extension")
class RaggedToSparse(Op):
    """The row of each element of a ragged tensor, and its place in the row."""

    inputs = (In("begins", I32, "the first element of each row"), In("ends", I32, "the end of each row, exclusive"))
    outputs = (Out("indices", I32, "[elements, 2]"),)

    def infer(self, begins: Fact, ends: Fact) -> Shape:
        same_shape(begins, ends, input=0)
        if begins.constant is None or ends.constant is None:
            return Shape([Dim(), 2])
        return Shape([int(_lengths(begins.constant, ends.constant).sum()), 2])

    def run(self, begins: Array, ends: Array) -> Array:
        lengths = _lengths(begins, ends)
        rows = np.repeat(np.arange(lengths.size), lengths)
        first, _ = offsets(lengths)
        return np.stack([rows, np.arange(rows.size) - first[rows]], axis=1).astype(np.int32)


def _lengths(begins: Array, ends: Array) -> Array:
    return np.maximum(ends.reshape(-1).astype(np.int64) - begins.reshape(-1), 0)
