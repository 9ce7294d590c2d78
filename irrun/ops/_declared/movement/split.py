from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.refuting import Refutation, fits, unless_one_fits
from irrun.ops.shapes import exact_quotient, has_multiple, normalize_axis, single_axis, with_axis
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("Split", opset=1)
class Split(Op):
    """Split a tensor into equal parts along an axis."""

    workspace = 8
    inputs = (In("data", T), In("axis", INTEGER, "the axis; a negative number counts from the end", rank=0))
    outputs = (Out("output", T, variadic=True),)
    foldable = Fold.BOUNDS

    num_splits: int = attr(doc="the number of parts", ge=1)

    def infer(self, data: Fact, axis: Fact) -> tuple[Shape, ...]:
        if data.shape.dims is None:
            return (Shape.unknown(),) * self.num_splits
        where = single_axis(axis, len(data.shape), input=1)
        if where is None:
            return (Shape([Dim(size.lo // self.num_splits, size.hi) for size in data.shape]),) * self.num_splits
        size = data.shape[where]
        self._check(size, where)
        return (with_axis(data.shape, where, exact_quotient(size, self.num_splits)),) * self.num_splits

    def refute(self, declared: Sequence[Shape], data: Fact, axis: Fact) -> Iterator[Refutation]:
        if data.shape.dims is None:
            return
        sizes = [(place, size) for place, size in enumerate(data.shape) if (size % self.num_splits).admits(0)]
        parts = [with_axis(data.shape, place, exact_quotient(size, self.num_splits)) for place, size in sizes]
        what = f"no axis of data {data.shape} splits into {self.num_splits} such parts"
        for output, shape in enumerate(declared):
            yield from unless_one_fits(shape, (part[:] for part in parts), what, output)
        if not any(all(fits(shape, part[:]) for shape in declared) for part in parts):
            yield Refutation(what, output=len(declared) - 1)

    def run(self, data: Array, axis: Array) -> tuple[Array, ...]:
        where = normalize_axis(int(axis.reshape(-1)[0]), data.ndim, attribute=None, input=1)
        self._check(Dim.exactly(data.shape[where]), where)
        return tuple(np.split(data, self.num_splits, axis=where))

    def _check(self, size: Dim, axis: int) -> None:
        if not has_multiple(size, self.num_splits):
            raise OpError(
                f"axis {axis} of size {size} does not split into {self.num_splits} parts of one size", input=0
            )
