"""Pieces of a graph: their ends, their values beside those of the whole graph, and the files that are made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Writer
from irrun.editing import EditError, Piece, piece
from irrun.graph import Bound, Outlet
from irrun.model import Loaded, build, load
from irrun.openvino.models.writing import written
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32, I64

IMAGE = Fact(F32, Shape([2, 3]))


def whole() -> Loaded:
    """Return x, y -> tanh(x) -> split -> first + bias, second * (reshape of y by its own sizes)."""
    ir = Writer("net")
    x, y = ir.parameter("x", F32, Shape([2, 4])), ir.parameter("y", F32, Shape([2, 1, 2]))
    wide = Fact(F32, Shape([2, 4]))
    (tanh,) = ir.layer("Tanh", "opset1", [x], [wide], name="tanh", names=["t"])
    axis = ir.constant(np.array(1), I64, "axis")
    half = Fact(F32, Shape([2, 2]))
    data = {"num_splits": "2"}
    first, second = ir.layer("Split", "opset1", [tanh, axis], [half, half], data, name="split", names=["a", "b"])
    bias = ir.constant(np.array([[1, 2]], np.float32), F32, "bias")
    (left,) = ir.layer("Add", "opset1", [first, bias], [half], {"auto_broadcast": "numpy"}, name="left")
    (sizes,) = ir.layer("ShapeOf", "opset3", [y], [Fact(I64, Shape([3]))], {"output_type": "i64"}, name="sizes")
    some = [ir.constant(np.array(value), I64) for value in ([0, 2], 0)]
    (chosen,) = ir.layer("Gather", "opset8", [sizes, *some], [Fact(I64, Shape([2]))], {"batch_dims": "0"}, name="pick")
    (flat,) = ir.layer("Reshape", "opset1", [y, chosen], [half], {"special_zero": "false"}, name="flat")
    (right,) = ir.layer("Multiply", "opset1", [second, flat], [half], {"auto_broadcast": "numpy"}, name="right")
    ir.result(left, "out_left")
    ir.result(right, "out_right")
    return load(ir.text.encode(), ir.weights)


def outlet(model: Loaded, name: str, port: int = 0) -> Outlet:
    return next(Outlet(node.id, port) for node in model.graph.ordered() if node.name == name)


def cut(model: Loaded, start: list[Outlet], end: list[Outlet]) -> Piece:
    return piece(model.graph, model.facts, model.weights, start, end)


def types(found: Piece) -> list[str]:
    return [node.type for node in found.graph.ordered()]


def names(found: Piece) -> list[str]:
    return [found.graph.node(id).name for id in found.graph.parameters]


def saved(model: Loaded, found: Piece, folder: Path) -> Loaded:
    path = folder / "piece.xml"
    written(Loaded(Bound(found.graph, (), {}), found.facts, model.weights, name="piece"), "piece", {}).save(path)
    return load(path)


def run(model: Loaded, *given: Array) -> tuple[Array, ...]:
    return build(model, {"OPTIMIZE": False})(dict(enumerate(given))).to_tuple()


def test_a_piece_begins_with_parameters_and_ends_with_results(tmp_path: Path) -> None:
    model = whole()
    start = outlet(model, "split")
    found = cut(model, [start], [outlet(model, "left")])
    assert types(found) == ["Const", "Parameter", "Add", "Result"]
    assert names(found) == ["split.0"]
    assert found.inputs == (start,)
    x = np.array([[1, -1], [3, 4]], np.float32)
    again = saved(model, found, tmp_path)
    assert again.diagnostics == ()
    assert [str(port) for port in again.inputs] == ['<Port "a" f32[2,2]>']
    np.testing.assert_array_equal(run(again, x)[0], x + np.array([1, 2], np.float32))


def test_a_cut_output_of_several_leaves_the_others() -> None:
    model = whole()
    found = cut(model, [outlet(model, "split", 0)], [outlet(model, "left"), outlet(model, "right")])
    assert names(found) == ["x", "y", "split.0"]
    split = next(node for node in found.graph.ordered() if node.type == "Split")
    assert split.names == ((), ("b",))


def test_known_values_become_constants() -> None:
    model = whole()
    found = cut(model, [outlet(model, "split", 1), outlet(model, "pick"), outlet(model, "y")], [outlet(model, "right")])
    assert types(found) == ["Parameter", "Parameter", "Const", "Reshape", "Multiply", "Result"]
    assert names(found) == ["y", "split.1"]
    assert str(found.facts.results()[0]) == "f32[2,2]"


def test_a_piece_without_cuts_is_what_the_outputs_depend_on(tmp_path: Path) -> None:
    model = whole()
    found = cut(model, [], [outlet(model, "right")])
    assert names(found) == ["x", "y"]
    x, y = np.arange(8, dtype=np.float32).reshape(2, 4), np.arange(4, dtype=np.float32).reshape(2, 1, 2)
    np.testing.assert_array_equal(run(saved(model, found, tmp_path), x, y)[0], run(model, x, y)[1])


def test_an_input_may_be_an_output() -> None:
    model = whole()
    found = cut(model, [outlet(model, "tanh")], [outlet(model, "tanh"), outlet(model, "x")])
    assert types(found) == ["Parameter", "Parameter", "Result", "Result"]
    assert names(found) == ["x", "tanh"]


def test_the_whole_graph_stays_as_it_is() -> None:
    model = whole()
    before = list(model.graph)
    cut(model, [outlet(model, "tanh")], [outlet(model, "left")])
    assert list(model.graph) == before


@pytest.mark.parametrize("end", [Outlet(77, 0), Outlet(0, 3)])
def test_an_outlet_that_is_not_there(end: Outlet) -> None:
    with pytest.raises(EditError, match=f"there is no output {end.port} of node {end.node}"):
        cut(whole(), [end], [])


def test_a_variable_that_is_assigned_is_also_read(tmp_path: Path) -> None:
    ir = Writer("net")
    x = ir.parameter("x", F32, Shape([2, 3]))
    data = {"variable_id": "v", "variable_type": "f32", "variable_shape": "2,3"}
    (old,) = ir.layer("ReadValue", "opset6", [x], [IMAGE], data, name="old")
    (tanh,) = ir.layer("Tanh", "opset1", [x], [IMAGE], name="tanh")
    (new,) = ir.layer("Assign", "opset6", [tanh], [IMAGE], {"variable_id": "v"}, name="new")
    ir.result(new)
    ir.result(old)
    model = load(ir.text.encode(), ir.weights)
    found = cut(model, [outlet(model, "tanh")], [outlet(model, "new")])
    assert types(found) == ["Parameter", "ReadValue", "Parameter", "Assign", "Result"]
    assert saved(model, found, tmp_path).diagnostics == ()
