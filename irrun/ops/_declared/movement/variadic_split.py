from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.declaration import CUT
from irrun.ops.refuting import Refutation, fits
from irrun.ops.shapes import normalize_axis, single_axis, with_axis
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T1", ANY)


@op("VariadicSplit", opset=1)
class VariadicSplit(Op):
    """Split a tensor into parts of given sizes along an axis."""

    workspace = 8
    inputs = (
        In("data", T),
        In("axis", INTEGER, "the axis, one element; a negative number counts from the end", rank=(0, 1), also=CUT),
        In("split_lengths", INTEGER, "the size of each part; a single -1 is the remainder", rank=1, also=CUT),
    )
    outputs = (Out("output", T, variadic=True),)
    foldable = Fold.BOUNDS

    def infer(self, data: Fact, axis: Fact, split_lengths: Fact, *, output_count: int | None) -> tuple[Shape, ...]:
        lengths = split_lengths.dims()
        if lengths is None:
            lengths = (Dim.anything(),) * (1 if output_count is None else output_count)
        if data.shape.dims is None:
            return (Shape.unknown(),) * len(lengths)
        where = single_axis(axis, len(data.shape), input=1)
        if where is None:
            return (Shape([Dim(0, size.hi) for size in data.shape]),) * len(lengths)
        size = data.shape[where]
        if not all(length.is_static for length in lengths):
            parts = [length if length.lo >= 0 else Dim(0, size.hi) for length in lengths]
        else:
            parts = list(_resolved([length.lo for length in lengths], size))
        return tuple(with_axis(data.shape, where, part) for part in parts)

    def refute(self, declared: Sequence[Shape], data: Fact, axis: Fact, split_lengths: Fact) -> Iterator[Refutation]:
        if data.shape.dims is None or not declared:
            return
        known = single_axis(axis, len(data.shape), input=1)
        among = range(len(data.shape)) if known is None else (known,)
        if not any(_adds_up(declared, data.shape, place) for place in among):
            where = f"axis {known}" if known is not None else "an axis"
            yield Refutation(
                f"the outputs do not add up to {where} of data {data.shape}", known, output=len(declared) - 1
            )

    def run(self, data: Array, axis: Array, split_lengths: Array) -> tuple[Array, ...]:
        where = normalize_axis(int(axis.reshape(-1)[0]), data.ndim, attribute=None, input=1)
        lengths = [int(length) for length in split_lengths.tolist()]
        parts = [int(part) for part in _resolved(lengths, Dim.exactly(data.shape[where]))]
        return tuple(np.split(data, np.cumsum(parts)[:-1], axis=where)) if parts else ()


def _adds_up(declared: Sequence[Shape], data: Shape, axis: int) -> bool:
    """Return whether outputs may be the parts of data along an axis."""
    if not all(fits(shape, with_axis(data, axis, Dim(0, data[axis].hi))[:]) for shape in declared):
        return False
    sizes = [Dim() if shape.dims is None else shape[axis] for shape in declared]
    return sum(sizes, start=Dim.exactly(0)).compatible(data[axis])


def _resolved(lengths: Sequence[int], size: Dim) -> list[Dim]:
    """Return the size of each part, with -1 resolved; OpError where the parts do not add up to the axis."""
    if any(length < -1 for length in lengths) or lengths.count(-1) > 1:
        raise OpError(f"split_lengths are {list(lengths)}, expected sizes and at most one -1", input=2)
    total = sum(length for length in lengths if length >= 0)
    if -1 not in lengths:
        if not size.admits(total):
            raise OpError(f"split_lengths add up to {total}, expected {size}, the size of the axis", input=2)
        return [Dim.exactly(length) for length in lengths]
    if size.hi < total:
        raise OpError(f"split_lengths add up to {total}, more than {size}, the size of the axis", input=2)
    rest = (size - total).as_dimension()
    return [rest if length == -1 else Dim.exactly(length) for length in lengths]
