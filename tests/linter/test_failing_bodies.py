"""Layers that cannot work in a body whose result feeds back: found in the first pass, although later ones hide it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

import irrun.openvino as ov
from irrun.diagnostics import IRError
from irrun.document.writer import Handle, Writer, WrittenBody
from irrun.linter import lint
from irrun.linter.check import IRFile, Linter
from irrun.model import build, load
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I64
from tests.cli.conftest import Run, run

__all__ = ["run"]

OPEN = Fact(F32, Shape(None))
Step = Callable[[Writer, Handle], Handle]


def step(type: str, shape: tuple[int, ...], data: Mapping[str, str]) -> Step:
    """Return a function that adds a layer of the state and a constant of some shape."""

    def add(body: Writer, state: Handle) -> Handle:
        other = body.constant(np.zeros(shape, np.float32), F32)
        return body.layer(type, "opset1", [state, other], [OPEN], data, name="wrong")[0]

    return add


def reshape(body: Writer, state: Handle) -> Handle:
    pattern = body.constant(np.array([5]), I64)
    return body.layer("Reshape", "opset1", [state, pattern], [OPEN], {"special_zero": "false"}, name="wrong")[0]


WRONG: Mapping[str, Step] = {
    "product": step("MatMul", (9, 1), {"transpose_a": "false", "transpose_b": "false"}),
    "sum": step("Add", (2, 3), {"auto_broadcast": "numpy"}),
    "concatenation": step("Concat", (2, 2), {"axis": "0"}),
    "reshape": reshape,
}
RIGHT = step("Add", (1, 3), {"auto_broadcast": "numpy"})


def loop(ir: Writer, add: Step, x: Handle) -> Handle:
    body = ir.body()
    state = body.parameter("state", F32, Shape(None))
    end = body.result(add(body, state))
    condition = body.result(body.constant(np.array(True), BOOLEAN))
    count, begin = ir.constant(np.array(4), I64), ir.constant(np.array(True), BOOLEAN)
    written = WrittenBody(
        body,
        [{"external_port_id": 2, "internal_layer_id": 0}],
        [
            {"external_port_id": 3, "internal_layer_id": end},
            {"external_port_id": -1, "internal_layer_id": condition, "purpose": "execution_condition"},
        ],
        [(end, 0)],
    )
    return ir.layer("Loop", "opset5", [count, begin, x], [OPEN], name="loop", bodies={"body": written})[0]


def iterator(ir: Writer, add: Step, x: Handle) -> Handle:
    body = ir.body()
    state = body.parameter("state", F32, Shape(None))
    body.parameter("slice", F32, Shape([1]))
    end = body.result(add(body, state))
    steps = ir.constant(np.zeros(4, np.float32), F32)
    written = WrittenBody(
        body,
        [
            {"external_port_id": 0, "internal_layer_id": 0},
            {"external_port_id": 1, "internal_layer_id": 1, "axis": 0, "part_size": 1, "stride": 1},
        ],
        [{"external_port_id": 2, "internal_layer_id": end}],
        [(end, 0)],
    )
    return ir.layer("TensorIterator", "opset1", [x, steps], [OPEN], name="loop", bodies={"body": written})[0]


def nested(ir: Writer, add: Step, x: Handle) -> Handle:
    return loop(ir, lambda body, state: loop(body, add, state), x)


AROUND = {"Loop": loop, "TensorIterator": iterator, "Loop in a Loop": nested}


def saved(folder: Path, around: str, add: Step, shape: str = "4,3") -> Path:
    ir = Writer("net")
    ir.result(AROUND[around](ir, add, ir.parameter("x", F32, Shape.parse(shape))))
    path = folder / "model.xml"
    ir.save(path)
    return path


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("kind", WRONG)
def test_a_layer_that_cannot_work(around: str, kind: str, tmp_path: Path) -> None:
    path = saved(tmp_path, around, WRONG[kind])
    report = lint(path)
    assert [(item.code, item.layer and item.layer.name) for item in report] == [("IR304", "wrong")]
    model = load(path)
    assert [item.code for item in model.diagnostics] == ["IR304"]
    with pytest.raises(IRError):
        build(model, {})
    with pytest.raises(RuntimeError):
        ov.compile_model(str(path), "CPU")
    assert Linter().fix(IRFile(path)).data == path.read_bytes()


@pytest.mark.parametrize("around", AROUND)
def test_a_layer_that_works(around: str, tmp_path: Path) -> None:
    path = saved(tmp_path, around, RIGHT)
    assert list(lint(path)) == []
    x = np.ones((4, 3), np.float32)
    np.testing.assert_array_equal(build(load(path), {}).session().run([x])[0], x)


@pytest.mark.parametrize("around", AROUND)
def test_a_reshape_after_which_a_layer_cannot_work(around: str, run: Run, tmp_path: Path) -> None:
    path = saved(tmp_path, around, step("Add", (4, 3), {"auto_broadcast": "numpy"}))
    assert list(lint(path)) == []
    model = ov.Core().read_model(path)
    with pytest.raises(RuntimeError):
        model.reshape([2, 3])
    assert model.input(0).partial_shape == ov.PartialShape([4, 3])
    model.reshape([1, 3])
    with pytest.raises(IRError):
        load(path).reshaped([2, 3])
    output = tmp_path / "reshaped.xml"
    result = run("edit", "reshape", path, "--shape", "[2,3]", "-o", output)
    assert (result.exit_code, output.exists()) == (2, False)
