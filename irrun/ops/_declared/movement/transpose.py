from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from irrun.diagnostics import amount
from irrun.ops import Array, Dim, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.refuting import Refutation
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)


@op("Transpose", opset=1)
class Transpose(Op):
    """Permute the axes of a tensor."""

    inputs = (
        In("arg", T, "the tensor to transpose"),
        In("input_order", INTEGER, "the axis of arg for each axis of the result; empty reverses the axes", rank=1),
    )
    outputs = (Out("output", T),)
    foldable = Fold.BOUNDS
    view = True

    def infer(self, arg: Fact, input_order: Fact) -> Shape:
        order = input_order.ints()
        length = None if input_order.shape.dims is None else input_order.shape[0]
        if arg.shape.dims is None:
            return Shape.unknown(length.lo if length is not None and length.is_static and length.lo else None)
        rank = len(arg.shape)
        if length is not None and not (length.admits(rank) or length.admits(0)):
            raise OpError(f"input_order has {amount(length, 'element')}, expected {rank} or none", input=1)
        if order is not None:
            return Shape([arg.shape[axis] for axis in _checked(order, rank)])
        if rank == 0:
            return arg.shape
        return Shape([functools.reduce(Dim.union, arg.shape)] * rank)

    def refute(self, declared: Sequence[Shape], arg: Fact, input_order: Fact) -> Iterator[Refutation]:
        if declared[0].dims is None or arg.shape.dims is None:
            return
        missing = Counter(size.lo for size in declared[0] if size.is_static)
        missing -= Counter(size.lo for size in arg.shape if size.is_static)
        open_sizes = sum(not size.is_static for size in arg.shape)
        if len(declared[0]) != len(arg.shape) or missing.total() > open_sizes:
            yield Refutation(f"its sizes are not those of arg {arg.shape} in another order")

    def run(self, arg: Array, input_order: Array) -> Array:
        order = [int(axis) for axis in input_order.tolist()]
        return np.transpose(arg, _checked(order, arg.ndim))


def _checked(order: tuple[int, ...] | list[int], rank: int) -> tuple[int, ...]:
    if not order:
        return tuple(reversed(range(rank)))
    if sorted(order) != list(range(rank)):
        raise OpError(f"input_order is {list(order)}, expected each of 0 to {rank - 1} once", input=1)
    return tuple(order)
