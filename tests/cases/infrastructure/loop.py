from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from irrun.document.writer import Writer, WrittenBody
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I64
from tests.cases import ModelCase, f32


def sums(trip: int, limit: float) -> Callable[[Writer], None]:
    """sum = x; do { sum = sum + i } while (sum < limit), at most ``trip`` times, with all sums concatenated."""
    return partial(_write, trip=trip, limit=limit)


def _write(ir: Writer, trip: int, limit: float) -> None:
    scalar, row = Shape([]), Shape([1, 2])
    x = ir.parameter("x", F32, row)
    count = ir.constant(np.array(trip), I64)
    begin = ir.constant(np.array(True), BOOLEAN)
    body = ir.body()
    total = body.parameter("sum", F32, row)
    step = body.parameter("i", I64, scalar)
    (number,) = body.layer("Convert", "opset1", [step], [Fact(F32, scalar)], {"destination_type": "f32"})
    (added,) = body.layer("Add", "opset1", [total, number], [Fact(F32, row)])
    last = body.layer("ReduceMax", "opset1", [added, body.constant(np.array([0, 1]), I64)], [Fact(F32, scalar)])[0]
    most = body.constant(f32(limit), F32)
    (going,) = body.layer("Less", "opset1", [last, most], [Fact(BOOLEAN, scalar)])
    end, condition = body.result(added), body.result(going)
    out, joined = ir.layer(
        "Loop",
        "opset5",
        [count, begin, x],
        [Fact(F32, row), Fact(F32, Shape.parse("?,2"))],
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


def numbers(axis: int, trip: int) -> Callable[[Writer], None]:
    """Return the numbers of all iterations: scalars, which are concatenated."""

    def write(ir: Writer) -> None:
        x = ir.parameter("x", F32, Shape([]))
        count, begin = ir.constant(np.array(trip), I64), ir.constant(np.array(True), BOOLEAN)
        body = ir.body()
        step, kept = body.parameter("i", I64, Shape([])), body.parameter("kept", F32, Shape([]))
        (number,) = body.layer("Convert", "opset1", [step], [Fact(F32, Shape([]))], {"destination_type": "f32"})
        (total,) = body.layer("Add", "opset1", [number, kept], [Fact(F32, Shape([]))])
        end, condition = body.result(total), body.result(body.constant(np.array(True), BOOLEAN))
        inputs = [
            {"external_port_id": -1, "internal_layer_id": 0, "purpose": "current_iteration"},
            {"external_port_id": 2, "internal_layer_id": 1},
        ]
        outputs = [
            {"external_port_id": 3, "internal_layer_id": end, "axis": axis},
            {"external_port_id": -1, "internal_layer_id": condition, "purpose": "execution_condition"},
        ]
        bodies = {"body": WrittenBody(body, inputs, outputs)}
        (joined,) = ir.layer("Loop", "opset5", [count, begin, x], [Fact(F32, Shape([trip]))], bodies=bodies)
        ir.result(joined)

    return write


def _pairs(*values: float) -> list[np.ndarray]:
    """Return the last of the values, and all of them, each twice in a row."""
    rows = f32([[value, value] for value in values]).reshape(-1, 2)
    return [rows[-1:] if len(rows) else f32([[0, 0]]), rows]


_X = [f32([[0, 0]])]

MODELS = [
    ModelCase("Loop", 5, sums(3, 1e9), _X, _pairs(0, 1, 3), name="trip count"),
    ModelCase("Loop", 5, sums(-1, 5), _X, _pairs(0, 1, 3, 6), name="condition"),
    ModelCase("Loop", 5, sums(10, 1), _X, _pairs(0, 1), name="the condition comes first"),
    ModelCase("Loop", 5, sums(0, 1e9), _X, _pairs(), name="no iteration"),
    ModelCase("Loop", 5, numbers(0, 3), [f32(5)], [f32([5, 6, 7])], name="scalars"),
    ModelCase("Loop", 5, numbers(0, 0), [f32(5)], [f32([])], name="no scalars"),
]
