"""If, Loop, TensorIterator, ReadValue and Assign: whole models, since they live on what surrounds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun
from irrun.document.writer import Writer, WrittenBody
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I64, ElementType


def fact(type: ElementType, dims: str) -> Fact:
    return Fact(type, Shape.parse(dims))


def save(ir: Writer, folder: Path) -> Path:
    ir.save(folder / "model.xml")
    assert [item.message for item in irrun.lint(folder / "model.xml") if item.severity > 0] == []
    return folder / "model.xml"


def if_model(folder: Path) -> Path:
    """cond ? x + y : x."""
    ir = Writer("if")
    cond = ir.parameter("cond", BOOLEAN, Shape([]))
    x, y = ir.parameter("x", F32, Shape([2])), ir.parameter("y", F32, Shape([1]))
    then, other = ir.body(), ir.body()
    a, b = then.parameter("a", F32, Shape([2])), then.parameter("b", F32, Shape([1]))
    (total,) = then.layer("Add", "opset1", [a, b], [fact(F32, "2")])
    end = then.result(total)
    kept = other.result(other.parameter("c", F32, Shape([2])))
    (z,) = ir.layer(
        "If",
        "opset8",
        [cond, x, y],
        [fact(F32, "2")],
        bodies={
            "then_body": WrittenBody(
                then,
                [{"external_port_id": 1, "internal_layer_id": 0}, {"external_port_id": 2, "internal_layer_id": 1}],
                [{"external_port_id": 3, "internal_layer_id": end}],
            ),
            "else_body": WrittenBody(
                other,
                [{"external_port_id": 1, "internal_layer_id": 0}],
                [{"external_port_id": 3, "internal_layer_id": kept}],
            ),
        },
    )
    ir.result(z)
    return save(ir, folder)


@pytest.mark.parametrize(("cond", "want"), [(True, [11, 12]), (False, [1, 2])])
def test_if(cond: bool, want: list[float], tmp_path: Path) -> None:
    compiled = irrun.compile_model(if_model(tmp_path))
    got = compiled({"cond": np.array(cond), "x": np.array([1, 2], np.float32), "y": np.array([10], np.float32)})[0]
    np.testing.assert_array_equal(got, np.array(want, np.float32))


def loop_model(folder: Path, trip: int, limit: float) -> Path:
    """sum = x; do { sum = sum + i } while (sum < limit), with the sums of all runs joined."""
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
    return save(ir, folder)


@pytest.mark.parametrize(
    ("trip", "limit", "want"), [(3, 1e9, [0, 1, 3]), (-1, 5.0, [0, 1, 3, 6]), (10, 1.0, [0, 1]), (0, 1e9, [])]
)
def test_loop(trip: int, limit: float, want: list[float], tmp_path: Path) -> None:
    compiled = irrun.compile_model(loop_model(tmp_path, trip, limit))
    last, joined = compiled([np.zeros((1, 2), np.float32)]).to_tuple()
    np.testing.assert_array_equal(joined, np.array([[value, value] for value in want], np.float32).reshape(-1, 2))
    np.testing.assert_array_equal(last, np.full((1, 2), want[-1] if want else 0, np.float32))


def test_loop_with_a_constant_trip_count_has_a_static_output(tmp_path: Path) -> None:
    model = irrun.read_model(loop_model(tmp_path, 3, 1e9))
    assert str(model.outputs[1].partial_shape) == "[1..3,2]"


def iterator_model(folder: Path, start: int, end: int, stride: int) -> Path:
    """Running sums along axis 1."""
    ir = Writer("iterator")
    x, initial = ir.parameter("x", F32, Shape([1, 4])), ir.parameter("h", F32, Shape([1, 1]))
    body = ir.body()
    part, before = body.parameter("part", F32, Shape([1, 1])), body.parameter("before", F32, Shape([1, 1]))
    (after,) = body.layer("Add", "opset1", [part, before], [fact(F32, "1,1")])
    out = body.result(after)
    cut = {"axis": 1, "start": start, "end": end, "stride": stride, "part_size": 1}
    sums, last = ir.layer(
        "TensorIterator",
        "opset1",
        [x, initial],
        [fact(F32, "1,4"), fact(F32, "1,1")],
        bodies={
            "body": WrittenBody(
                body,
                [
                    {"external_port_id": 0, "internal_layer_id": 0, **cut},
                    {"external_port_id": 1, "internal_layer_id": 1},
                ],
                [
                    {"external_port_id": 2, "internal_layer_id": out, **cut},
                    {"external_port_id": 3, "internal_layer_id": out},
                ],
                [(out, 1)],
            )
        },
    )
    ir.result(sums)
    ir.result(last)
    return save(ir, folder)


@pytest.mark.parametrize(("cut", "want"), [((0, -1, 1), [1, 3, 6, 10]), ((-1, 0, -1), [10, 9, 7, 4])])
def test_tensor_iterator(cut: tuple[int, int, int], want: list[float], tmp_path: Path) -> None:
    compiled = irrun.compile_model(iterator_model(tmp_path, *cut))
    sums, last = compiled([np.array([[1, 2, 3, 4]], np.float32), np.zeros((1, 1), np.float32)]).to_tuple()
    np.testing.assert_array_equal(sums, np.array([want], np.float32))
    np.testing.assert_array_equal(last, np.array([[10]], np.float32))


@pytest.mark.parametrize("with_init", [True, False])
def test_variables_belong_to_a_request(with_init: bool, tmp_path: Path) -> None:
    ir = Writer("state")
    x = ir.parameter("x", F32, Shape([1, 2]))
    inputs = [ir.constant(np.array([[10, 20]], np.float32), F32)] if with_init else []
    attributes = {"variable_id": "acc", "variable_type": "f32", "variable_shape": "1,2"}
    (held,) = ir.layer("ReadValue", "opset6", inputs, [fact(F32, "1,2")], attributes)
    (total,) = ir.layer("Add", "opset1", [x, held], [fact(F32, "1,2")])
    ir.layer("Assign", "opset6", [total], [fact(F32, "1,2")], {"variable_id": "acc"})
    ir.result(total)
    compiled = irrun.compile_model(save(ir, tmp_path))
    one = np.ones((1, 2), np.float32)
    begin = np.array([[10, 20]], np.float32) if with_init else np.zeros((1, 2), np.float32)
    request = compiled.create_infer_request()
    for count in (1, 2, 3):
        np.testing.assert_array_equal(request.infer([one])[0], begin + count)
    np.testing.assert_array_equal(compiled([one])[0], begin + 1)
    (variable,) = request.query_state()
    assert variable.name == "acc"
    np.testing.assert_array_equal(variable.state, begin + 3)
    variable.state = [[100, 100]]
    np.testing.assert_array_equal(request.infer([one])[0], np.full((1, 2), 101, np.float32))
    request.reset_state()
    np.testing.assert_array_equal(request.infer([one])[0], begin + 1)


def test_a_fault_inside_a_body_is_found_there(tmp_path: Path) -> None:
    path = if_model(tmp_path)
    text = path.read_text().replace("<dim>1</dim>", "<dim>3</dim>")
    at = text.index('type="Add"')
    where = text.index("<output>", at)
    path.write_text(path.read_text()[:0] + text[:where] + text[where:].replace("<dim>2</dim>", "<dim>5</dim>", 1))
    report = irrun.lint(path)
    assert any('in If "If_3" › then_body' in note for item in report for note in item.notes)
