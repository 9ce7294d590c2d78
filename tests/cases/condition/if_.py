from __future__ import annotations

from functools import partial

from irrun.document.writer import Writer, WrittenBody
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32
from tests.cases import ModelCase, boolean, f32


def write(ir: Writer, output: int = 3) -> None:
    """Write cond ? x + y : x; ``output`` is the id of the output in the port maps."""
    cond = ir.parameter("cond", BOOLEAN, Shape([]))
    x, y = ir.parameter("x", F32, Shape([2])), ir.parameter("y", F32, Shape([1]))
    then, other = ir.body(), ir.body()
    a, b = then.parameter("a", F32, Shape([2])), then.parameter("b", F32, Shape([1]))
    (total,) = then.layer("Add", "opset1", [a, b], [Fact(F32, Shape([2]))])
    end = then.result(total)
    kept = other.result(other.parameter("c", F32, Shape([2])))
    (z,) = ir.layer(
        "If",
        "opset8",
        [cond, x, y],
        [Fact(F32, Shape([2]))],
        bodies={
            "then_body": WrittenBody(
                then,
                [{"external_port_id": 1, "internal_layer_id": 0}, {"external_port_id": 2, "internal_layer_id": 1}],
                [{"external_port_id": output, "internal_layer_id": end}],
            ),
            "else_body": WrittenBody(
                other,
                [{"external_port_id": 1, "internal_layer_id": 0}],
                [{"external_port_id": output, "internal_layer_id": kept}],
            ),
        },
    )
    ir.result(z)


MODELS = [
    ModelCase("If", 8, write, [boolean(True), f32([1, 2]), f32([10])], [f32([11, 12])], name="true"),
    ModelCase("If", 8, write, [boolean(False), f32([1, 2]), f32([10])], [f32([1, 2])], name="false"),
    ModelCase(
        "If",
        8,
        partial(write, output=0),
        [boolean(True), f32([1, 2]), f32([10])],
        [f32([11, 12])],
        source="page",
        name="outputs are counted from 0",
    ),
]
