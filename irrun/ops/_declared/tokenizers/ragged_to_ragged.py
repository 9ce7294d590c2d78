from __future__ import annotations

import numpy as np

from irrun.kernels.text.ragged import from_row_ids
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, op
from irrun.tensor.element_type import I32


@op("RaggedToRagged", opset="extension")
class RaggedToRagged(Op):
    """The rows of elements that are given by the row of each element.

    A row without elements begins and ends where the next one begins.

    Note: elements from the first id on that is not below ``first_dim_size`` are ignored; OpenVINO leaves the row before
    it unwritten.
    """

    inputs = (
        In("rowids", I32, "[elements], the row of each element, ascending", rank=1),
        In("first_dim_size", I32, "the number of rows, one number", rank=(0, 1)),
    )
    alike = ((0, 1),)
    outputs = (
        Out("begins", I32, "[rows], the first element of each row"),
        Out("ends", I32, "[rows], the end of each row, exclusive"),
    )

    def infer(self, _: Fact, size: Fact) -> tuple[Shape, Shape]:
        sizes = size.dims() if size.shape.rank is not None else None
        rows = Shape([sizes[0].as_dimension() if sizes else Dim()])
        return rows, rows

    def run(self, row_ids: Array, size: Array) -> tuple[Array, Array]:
        if row_ids.size and (row_ids[0] < 0 or (np.diff(row_ids) < 0).any()):
            raise OpError("rowids must be ascending and start at 0 or more", input=0)
        if size.size != 1 or size.min() < 0:
            raise OpError(f"first_dim_size is {size.tolist()}, expected one number that is not negative", input=1)
        return from_row_ids(row_ids, int(size.reshape(-1)[0]))
