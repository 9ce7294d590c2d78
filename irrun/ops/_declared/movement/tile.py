from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irrun.ops import Array, Dim, Fact, Fold, In, Op, Out, Shape, TypeVar, op
from irrun.ops.refuting import Refutation, unless_multiples, unless_of_rank
from irrun.tensor.element_type import ANY, INTEGER

T1 = TypeVar("T1", ANY)


@op("Tile", opset=1)
class Tile(Op):
    """Repeat a tensor a number of times along each axis.

    Where data and repeats differ in length, the shorter one is extended by ones in front.

    Note: a negative number of repetitions is refused; in OpenVINO it counts as 0.
    """

    workspace = 8
    inputs = (
        In("data", T1, "the tensor to repeat"),
        In("repeats", INTEGER, "the number of repetitions of each axis", rank=1),
    )
    outputs = (Out("output", T1),)
    foldable = Fold.DIMS

    def infer(self, data: Fact, repeats: Fact) -> Shape:
        counts = repeats.dims()
        if data.shape.dims is None or counts is None:
            return Shape.unknown()
        rank = max(len(data.shape), len(counts))
        one = Dim.exactly(1)
        sizes = (one,) * (rank - len(data.shape)) + data.shape.dims
        times = (one,) * (rank - len(counts)) + counts
        return Shape([size * time.as_dimension() for size, time in zip(sizes, times, strict=True)])

    def refute(self, declared: Sequence[Shape], data: Fact, repeats: Fact) -> Iterator[Refutation]:
        if data.shape.dims is not None:
            yield from unless_of_rank(declared[0], len(data.shape), "the rank of data")
            yield from unless_multiples(declared[0], data.shape.dims, "the size of data")

    def run(self, data: Array, repeats: Array) -> Array:
        return np.tile(data, repeats.astype(np.int64))
