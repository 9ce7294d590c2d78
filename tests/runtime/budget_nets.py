"""Models that take more than they seem to."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import irrun.model
from irrun.document.writer import Handle, Writer, WrittenBody
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I64, ElementType

Built = Callable[[Writer], Handle]


def fact(type: ElementType, dims: str) -> Fact:
    return Fact(type, Shape.parse(dims))


def model(build: Built) -> irrun.model.Loaded:
    """Read a written model; the weights stay readable."""
    ir = Writer("net")
    ir.result(build(ir))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        ir.save(path)
        return irrun.model.load(path.read_bytes(), path.with_suffix(".bin").read_bytes())


def constant(ir: Writer, value: Any, type: ElementType = I64) -> Handle:
    return ir.constant(np.array(value, type.dtype), type)


def broadcast(*sizes: int) -> irrun.model.Loaded:
    """A constant that is broadcast to these sizes."""

    def build(ir: Writer) -> Handle:
        inputs = [constant(ir, 1.0, F32), constant(ir, sizes)]
        return ir.layer("Broadcast", "opset3", inputs, [fact(F32, ",".join(map(str, sizes)))], {"mode": "numpy"})[0]

    return model(build)


def square(rows: str) -> irrun.model.Loaded:
    """The product of a column and its transpose."""

    def build(ir: Writer) -> Handle:
        x = ir.parameter("x", F32, Shape.parse(f"{rows},1"))
        attributes = {"transpose_a": "false", "transpose_b": "true"}
        return ir.layer("MatMul", "opset1", [x, x], [fact(F32, f"{rows},{rows}")], attributes, name="product")[0]

    return model(build)


def range_of_input() -> irrun.model.Loaded:
    """The numbers from 0 up to the input."""

    def build(ir: Writer) -> Handle:
        stop = ir.parameter("stop", I64, Shape([]))
        inputs = [constant(ir, 0), stop, constant(ir, 1)]
        return ir.layer("Range", "opset4", inputs, [fact(I64, "?")], {"output_type": "i64"}, name="range")[0]

    return model(build)


def doubling_loop(trip_count: int, *, growing: bool = True) -> irrun.model.Loaded:
    """A vector that each iteration joins to itself, or keeps unless it is ``growing``."""

    def build(ir: Writer) -> Handle:
        inputs = [constant(ir, trip_count), constant(ir, True, BOOLEAN), constant(ir, [1.0], F32)]
        body = ir.body()
        x = body.parameter("x", F32, Shape.parse("?"))
        joined = x
        if growing:
            joined = body.layer("Concat", "opset1", [x, x], [fact(F32, "?")], {"axis": "0"}, name="join")[0]
        end, condition = body.result(joined), body.result(constant(body, True, BOOLEAN))
        written = WrittenBody(
            body,
            [{"external_port_id": 2, "internal_layer_id": 0}],
            [
                {"external_port_id": 3, "internal_layer_id": end},
                {"external_port_id": -1, "internal_layer_id": condition, "purpose": "execution_condition"},
            ],
            [(end, 0)],
        )
        return ir.layer("Loop", "opset5", inputs, [fact(F32, "?")], bodies={"body": written}, name="loop")[0]

    return model(build)
