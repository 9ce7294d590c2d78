from __future__ import annotations

from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.cases import ModelCase, f32


def one(ir: Writer) -> None:
    x = ir.parameter("x", F32, Shape([2]))
    ir.result(ir.layer("Negative", "opset1", [x], [Fact(F32, Shape([2]))])[0])


def twice(ir: Writer) -> None:
    """Write a tensor that is an output twice and feeds another layer."""
    x = ir.parameter("x", F32, Shape([2]))
    (y,) = ir.layer("Negative", "opset1", [x], [Fact(F32, Shape([2]))])
    (z,) = ir.layer("Abs", "opset1", [y], [Fact(F32, Shape([2]))])
    for handle in (y, z, y):
        ir.result(handle)


MODELS = [
    ModelCase("Result", 1, one, [f32([1, -2])], [f32([-1, 2])]),
    ModelCase("Result", 1, twice, [f32([1, -2])], [f32([-1, 2]), f32([1, 2]), f32([-1, 2])], name="one tensor twice"),
]
