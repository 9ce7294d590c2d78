"""Sub-graphs and variables, besides the model cases: inferred sizes, requests, places of faults."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.diagnostics import IRError
from irrun.document.writer import Writer, WrittenBody
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import BOOLEAN, F32, I32, I64
from tests.cases import f32
from tests.cases.condition import if_
from tests.cases.infrastructure.loop import sums
from tests.cases.infrastructure.read_value import accumulator


def save(build: Callable[[Writer], None], folder: Path) -> Path:
    ir = Writer("model")
    build(ir)
    ir.save(folder / "model.xml")
    return folder / "model.xml"


def test_loop_with_a_constant_trip_count_has_a_static_output(tmp_path: Path) -> None:
    model = irrun.model.load(save(sums(3, 1e9), tmp_path))
    assert str(model.outputs[1].partial_shape) == "[1..3,2]"


@pytest.mark.parametrize(("with_init", "begin"), [(True, f32([[10, 20]])), (False, f32([[0, 0]]))])
def test_variables_belong_to_a_request(with_init: bool, begin: np.ndarray, tmp_path: Path) -> None:
    compiled = irrun.model.build(save(accumulator(6, with_init), tmp_path))
    one = f32([[1, 1]])
    request = compiled.session()
    for count in (1, 2, 3):
        np.testing.assert_array_equal(request.run([one])[0], begin + count)
    np.testing.assert_array_equal(compiled([one])[0], begin + 1)
    np.testing.assert_array_equal(request.state.values["acc"], begin + 3)
    request.state.values["acc"] = f32([[100, 100]])
    np.testing.assert_array_equal(request.run([one])[0], f32([[101, 101]]))
    request.state.reset()
    np.testing.assert_array_equal(request.run([one])[0], begin + 1)


def test_a_fault_inside_a_body_is_found_there(tmp_path: Path) -> None:
    path = save(if_.write, tmp_path)
    text = path.read_text()
    where = text.index("<output>", text.index('type="Add"'))
    path.write_text(text[:where] + text[where:].replace("<dim>2</dim>", "<dim>5</dim>", 1))
    report = irrun.lint(path)
    assert any('in If "If_3" › then_body' in note for item in report for note in item.notes)


def sliced_loop(trip_count: int, counter: Fact, entry: Mapping[str, object]) -> Callable[[Writer], None]:
    """Return a loop over slices of [1, 6], which joins each slice plus the number of the iteration."""

    def build(ir: Writer) -> None:
        x = ir.parameter("x", F32, Shape([1, 6]))
        trip, go = ir.constant(np.array(trip_count), I64), ir.constant(np.array(True), BOOLEAN)
        body, part = ir.body(), Fact(F32, Shape([1, 1]))
        number, column = (
            body.parameter("number", counter.type, counter.shape),
            body.parameter("column", part.type, part.shape),
        )
        (real,) = body.layer("Convert", "opset1", [number], [Fact(F32, counter.shape)], {"destination_type": "f32"})
        (total,) = body.layer("Add", "opset1", [column, real], [part])
        results = [body.result(total), body.result(body.constant(np.array(True), BOOLEAN))]
        inputs: list[Mapping[str, object]] = [
            {"external_port_id": -1, "internal_layer_id": 0, "purpose": "current_iteration"},
            {"external_port_id": 2, "internal_layer_id": 1, "axis": 1, **entry},
        ]
        outputs: list[Mapping[str, object]] = [
            {"external_port_id": 3, "internal_layer_id": results[0], "axis": 1},
            {"external_port_id": -1, "internal_layer_id": results[1], "purpose": "execution_condition"},
        ]
        bodies = {"body": WrittenBody(body, inputs, outputs)}
        (made,) = ir.layer("Loop", "opset5", [trip, go, x], [Fact(F32, Shape([1, trip_count]))], bodies=bodies)
        ir.result(made)

    return build


@pytest.mark.parametrize(
    "counter",
    [Fact(I64, Shape([])), Fact(I32, Shape([1])), Fact(I64, Shape.unknown(1)), Fact(I64, Shape(None))],
    ids=str,
)
@pytest.mark.parametrize(
    ("entry", "expected"),
    [({}, [0, 2, 4]), ({"start": -1, "end": 0, "stride": -1}, [5, 5, 5]), ({"start": 1, "end": -2, "stride": 2}, None)],
    ids=str,
)
def test_slices_and_numbers_of_iterations(
    counter: Fact, entry: dict[str, object], expected: list[int] | None, tmp_path: Path
) -> None:
    path = save(sliced_loop(2 if expected is None else 3, counter, entry), tmp_path)
    for optimize in (False, True):
        got = irrun.model.build(path, {"OPTIMIZE": optimize})(np.arange(6, dtype=np.float32)[None])[0]
        np.testing.assert_array_equal(got, [[1, 4] if expected is None else expected])


@pytest.mark.parametrize(
    ("trip_count", "counter", "entry", "message"),
    [
        (7, Fact(I64, Shape([])), {}, "input 2 has 6 slices along axis 1, expected 7 or more"),
        (3, Fact(I64, Shape([])), {"start": 5}, "input 2 has 1 slices along axis 1, expected 3 or more"),
        (3, Fact(I64, Shape([])), {"start": 7}, "slices from 7 to -1 by 1 are outside a size of 6"),
        (3, Fact(F32, Shape([])), {}, "the Parameter for the iteration number is f32[], expected one element of i32"),
        (3, Fact(I64, Shape([2])), {}, "the Parameter for the iteration number is i64[2], expected one element of i32"),
    ],
)
def test_loops_whose_inputs_do_not_fit(
    trip_count: int, counter: Fact, entry: dict[str, object], message: str, tmp_path: Path
) -> None:
    path = save(sliced_loop(trip_count, counter, entry), tmp_path)
    assert [message in item.message for item in irrun.lint(path)] == [True]
    with pytest.raises(IRError, match=re.escape(message)):
        irrun.model.build(path)


def slices_with_state(state: Fact, size: int) -> Callable[[Writer], None]:
    """Return an iterator over slices of [1, size] whose state becomes the slice, with the last state before that."""

    def build(ir: Writer) -> None:
        x, begin = ir.parameter("x", F32, Shape([1, size])), ir.parameter("begin", state.type, state.shape)
        body = ir.body()
        column, before = body.parameter("column", F32, Shape([1, 1])), body.parameter("before", state.type, state.shape)
        results = [body.result(column), body.result(before)]
        inputs = [
            {"external_port_id": 0, "internal_layer_id": 0, "axis": 1},
            {"external_port_id": 1, "internal_layer_id": 1},
        ]
        outputs = [{"external_port_id": 2, "internal_layer_id": results[1]}]
        bodies = {"body": WrittenBody(body, inputs, outputs, [(results[0], 1)])}
        ir.result(ir.layer("TensorIterator", "opset1", [x, begin], [state], bodies=bodies)[0])

    return build


@pytest.mark.parametrize(
    ("parameter", "severity", "message"),
    [
        (0, "error", 'to-layer "0": each iteration gives this Parameter its number'),
        (1, "warning", 'to-layer "1": the edge has no effect, since this Parameter gets slices'),
    ],
)
def test_back_edges_to_numbers_and_slices(parameter: int, severity: str, message: str, tmp_path: Path) -> None:
    """OpenVINO refuses the first, and runs the second without the edge."""
    path = save(sliced_loop(3, Fact(I64, Shape([1, 1])), {}), tmp_path)
    text = path.read_text()
    result = re.search(r'external_port_id="3" internal_layer_id="(\d+)"', text)
    assert result is not None
    edge = f'<edge from-layer="{result[1]}" to-layer="{parameter}"/>'
    path.write_text(text.replace("</port_map>", f"</port_map><back_edges>{edge}</back_edges>"))
    found = irrun.lint(path)
    assert [(item.code, str(item.severity), item.message) for item in found] == [("IR208", severity, message)]
    if severity == "error":
        with pytest.raises(IRError, match=re.escape(message)):
            irrun.model.build(path)
    else:
        got = irrun.model.build(path)(np.arange(6, dtype=np.float32)[None])[0]
        np.testing.assert_array_equal(got, [[0, 2, 4]])


def test_back_edges_that_change_the_type_are_refused_since_openvino_rounds_them_by_the_types_of_its_kernels(
    tmp_path: Path,
) -> None:
    """The copy rounds to nearest, Convert truncates; i64 saturates at 2^31 - 1, and f16 keeps the digits of f32."""
    path = save(slices_with_state(Fact(I64, Shape([1, 1])), 3), tmp_path)
    with pytest.raises(IRError, match="a back edge carries f32 to a Parameter of the body that begins as i64"):
        irrun.model.build(path)


def test_outputs_without_a_value(tmp_path: Path) -> None:
    begin = f32([[7]])
    compiled = irrun.model.build(save(slices_with_state(Fact(F32, Shape([1, 1])), 3), tmp_path))
    np.testing.assert_array_equal(compiled([f32([[1, 2, 3]]), begin])[0], [[2]])
    compiled = irrun.model.build(save(slices_with_state(Fact(F32, Shape([1, 1])), 0), tmp_path))
    with pytest.raises(IRError, match="output 0 has no value: there was no iteration"):
        compiled([np.zeros((1, 0), np.float32), begin])
