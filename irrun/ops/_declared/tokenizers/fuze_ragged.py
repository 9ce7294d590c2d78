from __future__ import annotations

import numpy as np

from irrun.ops import Array, Fact, In, Op, OpError, Out, Shape, op
from irrun.ops._declared.tokenizers.ports import check_bounds, rows, same_shape
from irrun.tensor.element_type import I32


@op("FuzeRagged", opset="extension")
class FuzeRagged(Op):
    """A string for each row of strings: from the begin of its first string to the end of its last one.

    Note: a row without strings is the string at its begin, and empty after the last string, where OpenVINO reads out of
    bounds.
    """

    inputs = (
        *rows(),
        In("begins", I32, "offset of each string"),
        In("ends", I32, "offset of the end of each string, exclusive"),
    )
    alike = ((0, 1),)
    outputs = (
        Out("row_begins", I32, "offset of the first string of each row"),
        Out("row_ends", I32, "the end of the last string of each row"),
    )

    def infer(self, row_begins: Fact, row_ends: Fact, begins: Fact, ends: Fact) -> tuple[Shape, Shape]:
        same_shape(begins, ends, input=2)
        row = same_shape(row_begins, row_ends, input=0)
        return row, row

    def run(self, row_begins: Array, row_ends: Array, begins: Array, ends: Array) -> tuple[Array, Array]:
        check_bounds(row_begins, row_ends, begins.size, "a row", input=0)
        if begins.shape != ends.shape:
            raise OpError(f"begins and ends must have one shape, got {begins.shape} and {ends.shape}", input=3)
        last = np.where(row_ends > row_begins, row_ends - 1, row_ends)
        nothing = np.zeros(1, np.int32)
        return np.append(begins, nothing)[row_begins], np.append(ends, nothing)[last]
