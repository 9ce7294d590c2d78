from __future__ import annotations

import math

from irrun.ops import Array, Dim, Fact, In, Op, OpError, Out, Shape, TypeVar, attr, op
from irrun.ops.declaration import COUNTED
from irrun.ops.departures import IN_I32
from irrun.ops.shapes import broadcast
from irrun.ops.work import Sizes
from irrun.tensor.element_type import NUMERIC

T = TypeVar("T", NUMERIC, also=COUNTED)


@op("MatMul", opset=1, page="matmul-1")
class MatMul(Op):
    """Product of matrices, of stacks of matrices, or of a matrix and a vector.

    A 1D input is a row as the first factor and a column as the second; the transpose attributes do not apply to it, and
    its second axis is not part of the output. Integer products are exact and wrap around in their type.
    """

    departures = {"8-bit": "saturates 8-bit integers"}
    workarounds = {"8-bit": IN_I32}
    factors = (0, 1)

    workspace = 8
    inputs = (In("a", T, "the first factor, rank 1 or more"), In("b", T, "the second factor, rank 1 or more"))
    outputs = (Out("output", T),)

    transpose_a: bool = attr(False, doc="whether the last two axes of the first input are swapped")
    transpose_b: bool = attr(False, doc="whether the last two axes of the second input are swapped")

    def multiply_adds(self, sizes: Sizes) -> int:
        left = sizes.inputs[0]
        return math.prod(sizes.output) * (left[-2] if self.transpose_a and len(left) > 1 else left[-1])

    def infer(self, a: Fact, b: Fact) -> Shape:
        for index, fact in enumerate((a, b)):
            if fact.rank == 0:
                raise OpError(f"input {index} is a scalar, expected rank 1 or more", input=index)
        if a.shape.dims is None or b.shape.dims is None:
            return Shape.unknown()
        one = Dim.exactly(1)
        left = (one, *a.shape.dims) if len(a.shape) == 1 else _swap(a.shape.dims, self.transpose_a)
        right = (*b.shape.dims, one) if len(b.shape) == 1 else _swap(b.shape.dims, self.transpose_b)
        if not left[-1].compatible(right[-2]):
            raise OpError(
                f"the factors {a.shape}{_mark(self.transpose_a, a)} and {b.shape}{_mark(self.transpose_b, b)} do not "
                f"fit: rows of {left[-1]} and columns of {right[-2]}",
                input=1,
            )
        batch = broadcast(Shape(left[:-2]), Shape(right[:-2]))
        rows = left[-2:-1] if len(a.shape) > 1 else ()
        columns = right[-1:] if len(b.shape) > 1 else ()
        return Shape([*batch, *rows, *columns])

    def run(self, a: Array, b: Array) -> Array:
        from irrun.kernels.matmul import matmul

        return matmul(a, b, self.transpose_a, self.transpose_b)


def _swap(dims: tuple[Dim, ...], transposed: bool) -> tuple[Dim, ...]:
    return (*dims[:-2], dims[-1], dims[-2]) if transposed else dims


def _mark(transposed: bool, fact: Fact) -> str:
    return " transposed" if transposed and fact.rank != 1 else ""
