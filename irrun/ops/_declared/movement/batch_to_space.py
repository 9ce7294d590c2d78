from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from irrun.diagnostics import amount
from irrun.kernels.blocks import batch_to_space
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops._declared.movement.block_lists import check_lists, known_lists
from irrun.ops.refuting import Refutation
from irrun.ops.shapes import exact_quotient
from irrun.tensor.element_type import ANY, INTEGER

T = TypeVar("T", ANY)
INT = TypeVar("T_INT", INTEGER)

_NAMES = ("block_shape", "crops_begin", "crops_end")


@op("BatchToSpace", opset=2)
class BatchToSpace(Op):
    """Move parts of the batch into blocks of the spatial axes, then crop these axes."""

    inputs = (
        In("data", T, "[batch, D_1, ...], of rank 2 or more"),
        In("block_shape", INT, "the size of a block along each axis, 1 for the batch", rank=1),
        In("crops_begin", INT, "number of elements to crop at the start of each axis, 0 for the batch", rank=1),
        In("crops_end", INT, "number of elements to crop at the end of each axis, 0 for the batch", rank=1),
    )
    outputs = (Out("output", T),)

    def infer(self, data: Fact, block_shape: Fact, crops_begin: Fact, crops_end: Fact) -> Shape:
        lists = known_lists(data, (block_shape, crops_begin, crops_end), _NAMES)
        if data.shape.dims is None or lists is None:
            return Shape.unknown(data.rank)
        blocks, begins, ends = lists
        batch, *sizes = data.shape
        whole = math.prod(blocks, start=Dim.exactly(1))
        if batch.is_static and whole.is_static and batch.lo % whole.lo:
            raise OpError(f"a batch of {batch} does not divide into blocks of {whole}", input=1)
        dims = [exact_quotient(batch, whole)]
        for axis, size in enumerate(sizes, start=1):
            spread, crop = size * blocks[axis], begins[axis] + ends[axis]
            if crop.lo > spread.hi:
                raise OpError(f"crops take {crop} of axis {axis}, which has {amount(spread, 'element')}", input=2)
            dims.append((spread - crop).as_dimension())
        return Shape(dims)

    def refute(self, declared: Sequence[Shape], data: Fact, *lists: Fact) -> Iterator[Refutation]:
        if not declared[0].dims or not data.shape.dims:
            return
        (batch,), of_data = declared[0][:1], data.shape[0]
        if batch.is_static and of_data.is_static and (of_data.lo % batch.lo if batch.lo else of_data.lo):
            yield Refutation(f"axis 0 is {batch}, expected a divisor of {of_data}, the batch of data", 0)
        if declared[0].is_static and declared[0].size.lo > data.shape.size.hi:
            yield Refutation(
                f"it has {amount(declared[0].size, 'element')}, expected at most those of data {data.shape}"
            )

    def run(self, data: Array, block_shape: Array, crops_begin: Array, crops_end: Array) -> Array:
        blocks, begins, ends = check_lists((block_shape, crops_begin, crops_end), _NAMES)
        return batch_to_space(data, blocks, begins, ends)
