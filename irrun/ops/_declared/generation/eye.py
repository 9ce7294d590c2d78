from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irrun.ops import Array, Dim, ElementType, Fact, In, Op, OpError, Out, Shape, attr, op
from irrun.ops.refuting import Refutation, unless_of_rank
from irrun.tensor.element_type import BOOLEAN, I32, I64, NUMERIC

_NUMBER = frozenset({I32, I64})


@op("Eye", opset=9)
class Eye(Op):
    """Matrices with ones on one diagonal and zeros elsewhere."""

    departures = {"no batch": "reads beyond an empty batch_shape"}
    workarounds = {"no batch": "leave batch_shape out"}

    inputs = (
        In("num_rows", _NUMBER, "one element", rank=(0, 1)),
        In("num_columns", _NUMBER, "one element", rank=(0, 1)),
        In("diagonal_index", _NUMBER, "0 is the main diagonal, 1 the one to its right", rank=(0, 1)),
        In("batch_shape", _NUMBER, "sizes in front of rows and columns", optional=True, rank=1),
    )
    outputs = (Out("output", "output_type", "batch_shape, rows, columns"),)

    output_type: ElementType = attr(doc="the type of the output, any numeric one, or boolean as in OpenVINO")

    def verify(self) -> None:
        if self.output_type not in NUMERIC | {BOOLEAN}:
            raise OpError(
                f"output_type is {self.output_type}, expected a numeric type or boolean", attribute="output_type"
            )

    def infer(self, rows: Fact, columns: Fact, diagonal: Fact, batch: Fact | None) -> Shape:
        _one(diagonal, "diagonal_index", 2)
        matrix = [
            _size(_one(rows, "num_rows", 0), "num_rows", 0),
            _size(_one(columns, "num_columns", 1), "num_columns", 1),
        ]
        if batch is None:
            return Shape(matrix)
        sizes = batch.dims()
        if sizes is None:
            return Shape.unknown()
        return Shape([*(_size(size, "an element of batch_shape", 3) for size in sizes), *matrix])

    def refute(self, declared: Sequence[Shape], *inputs: Fact | None) -> Iterator[Refutation]:
        yield from unless_of_rank(declared[0], 2, "rows and columns")

    def run(self, rows: Array, columns: Array, diagonal: Array, batch: Array | None) -> Array:
        matrix = np.eye(int(rows.item()), int(columns.item()), int(diagonal.item()), dtype=self.output_type.dtype)
        if batch is None:
            return matrix
        return np.broadcast_to(matrix, (*batch.tolist(), *matrix.shape))


def _one(fact: Fact, name: str, index: int) -> Dim:
    """Return the single value of an input as a Dim; OpError where it cannot be a single element."""
    if fact.shape.dims is not None and not fact.shape.size.admits(1):
        raise OpError(f"{name} has shape {fact.shape}, expected one number", input=index)
    return fact.dims()[0] if fact.value is not None else Dim.anything()  # type: ignore[index]


def _size(size: Dim, name: str, index: int) -> Dim:
    if size.hi < 0:
        raise OpError(f"{name} is {size}, expected 0 or more", input=index)
    return size.as_dimension()
