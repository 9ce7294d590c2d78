from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from irrun.diagnostics import amount
from irrun.kernels.blocks import space_to_batch
from irrun.kernels.windows import pad
from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops._declared.movement.block_lists import check_lists, known_lists
from irrun.ops.refuting import Refutation, unless_multiples
from irrun.ops.shapes import exact_quotient
from irrun.tensor.element_type import BOOLEAN, INTEGER, NUMERIC

T = TypeVar("T1", NUMERIC | {BOOLEAN})

_NAMES = ("block_shape", "pads_begin", "pads_end")


@op("SpaceToBatch", opset=2)
class SpaceToBatch(Op):
    """Pad the spatial axes with zeros, then move blocks of them into the batch.

    Note: pads of the batch are refused, as on the page. OpenVINO pads it, and returns another shape than it infers.
    """

    inputs = (
        In("data", T, "[batch, D_1, ...], of rank 2 or more"),
        In("block_shape", INTEGER, "the size of a block along each axis, 1 for the batch", rank=1),
        In("pads_begin", INTEGER, "number of zeros before each axis, 0 for the batch", rank=1),
        In("pads_end", INTEGER, "number of zeros after each axis, 0 for the batch", rank=1),
    )
    outputs = (Out("output", T),)

    def infer(self, data: Fact, block_shape: Fact, pads_begin: Fact, pads_end: Fact) -> Shape:
        lists = known_lists(data, (block_shape, pads_begin, pads_end), _NAMES)
        if data.shape.dims is None or lists is None:
            return Shape.unknown(data.rank)
        blocks, begins, ends = lists
        batch, *sizes = data.shape
        dims = [batch * math.prod(blocks, start=Dim.exactly(1))]
        for axis, size in enumerate(sizes, start=1):
            padded = size + begins[axis] + ends[axis]
            if padded.is_static and blocks[axis].is_static and padded.lo % blocks[axis].lo:
                raise OpError(
                    f"axis {axis} has {amount(padded, 'element')} with its pads, which do not divide by {blocks[axis]}",
                    input=1,
                )
            dims.append(exact_quotient(padded, blocks[axis]))
        return Shape(dims)

    def refute(self, declared: Sequence[Shape], data: Fact, *lists: Fact) -> Iterator[Refutation]:
        if not declared[0].dims or not data.shape.dims:
            return
        yield from unless_multiples(Shape(declared[0][:1]), data.shape[:1], "the batch of data")
        if declared[0].is_static and declared[0].size.lo < data.shape.size.lo:
            yield Refutation(
                f"it has {amount(declared[0].size, 'element')}, expected at least those of data {data.shape}"
            )

    def run(self, data: Array, block_shape: Array, pads_begin: Array, pads_end: Array) -> Array:
        blocks, begins, ends = check_lists((block_shape, pads_begin, pads_end), _NAMES)
        return space_to_batch(pad(data, begins, ends), blocks)
