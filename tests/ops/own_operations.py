"""Operations as a user writes them, outside of irrun, with their cases."""

from __future__ import annotations

from pathlib import Path

from irrun.ops import Array, Fact, Fold, In, Op, OpError, Out, Shape, TypeVar, op
from irrun.ops.importing import load
from irrun.tensor.element_type import FLOAT, NUMERIC
from tests.cases import Case, f32, i64

T = TypeVar("T", FLOAT)
N = TypeVar("N", NUMERIC)

SoftShrink = load(Path(__file__).parents[2] / "examples" / "extension" / "my_ops.py").SoftShrink


@op("Add", opset="test.domain")
class Add(Op):
    """Half the sum: an operation with the type of one of an opset, in a domain of its own."""

    inputs = (In("a", T), In("b", T))
    outputs = (Out("sum", T),)

    def infer(self, a: Fact, b: Fact) -> Shape:
        if a.shape.merge(b.shape) is None:
            raise OpError(f"the shapes differ: {a.shape} and {b.shape}")
        return a.shape

    def run(self, a: Array, b: Array) -> Array:
        return ((a + b) / 2).astype(a.dtype)


@op("Ends", opset="extension")
class Ends(Op):
    """The first and the last element along the last axis, as two outputs."""

    inputs = (In("data", N),)
    outputs = (Out("first", N), Out("last", N))
    foldable = Fold.DIMS

    def infer(self, data: Fact) -> tuple[Shape, Shape]:
        dims = data.shape.dims
        shape = Shape.unknown() if dims is None else Shape(dims[:-1])
        return shape, shape

    def run(self, data: Array) -> tuple[Array, Array]:
        return data[..., 0].copy(), data[..., -1].copy()


CASES = [
    Case("SoftShrink", "extension", [f32([-2, -0.2, 0, 0.5, 3])], [f32([-1.5, 0, 0, 0, 2.5])]),
    Case("SoftShrink", "extension", [f32([[-2, 3]])], [f32([[0, 1]])], {"lambd": 2.0}, name="lambd"),
    Case("Add", "test.domain", [f32([1, 2]), f32([3, 8])], [f32([2, 5])]),
    Case("Ends", "extension", [i64([[1, 2, 3], [4, 5, 6]])], [i64([1, 4]), i64([3, 6])]),
]
