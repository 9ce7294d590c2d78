"""A model with a loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from irrun.document.writer import Writer, WrittenBody
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I64, ElementType


def fact(type: ElementType, dims: str) -> Fact:
    return Fact(type, Shape.parse(dims))


def loop_model(folder: Path, trip: int, limit: float) -> Path:
    """Save sum = x; do { sum = sum + i } while (sum < limit), with the sums of all iterations concatenated."""
    ir = Writer("loop")
    x = ir.parameter("x", F32, Shape([1, 2]))
    count = ir.constant(np.array(trip), I64)
    begin = ir.constant(np.array(True), BOOLEAN)
    body = ir.body()
    total = body.parameter("sum", F32, Shape([1, 2]))
    step = body.parameter("i", I64, Shape([]))
    (number,) = body.layer("Convert", "opset1", [step], [fact(F32, "")], {"destination_type": "f32"})
    (added,) = body.layer("Add", "opset1", [total, number], [fact(F32, "1,2")])
    last = body.layer("ReduceMax", "opset1", [added, body.constant(np.array([0, 1]), I64)], [fact(F32, "")])[0]
    (going,) = body.layer(
        "Less", "opset1", [last, body.constant(np.array(limit, np.float32), F32)], [fact(BOOLEAN, "")]
    )
    end, condition = body.result(added), body.result(going)
    out, joined = ir.layer(
        "Loop",
        "opset5",
        [count, begin, x],
        [fact(F32, "1,2"), fact(F32, "?,2")],
        bodies={
            "body": WrittenBody(
                body,
                [
                    {"external_port_id": 2, "internal_layer_id": 0},
                    {"external_port_id": -1, "internal_layer_id": 1, "purpose": "current_iteration"},
                ],
                [
                    {"external_port_id": 3, "internal_layer_id": end},
                    {"external_port_id": 4, "internal_layer_id": end, "axis": 0},
                    {"external_port_id": -1, "internal_layer_id": condition, "purpose": "execution_condition"},
                ],
                [(end, 0)],
            )
        },
    )
    ir.result(out)
    ir.result(joined)
    ir.save(folder / "model.xml")
    return folder / "model.xml"
