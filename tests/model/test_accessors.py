"""Every accessor of the Python API returns what the model holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.linter.models import NET, STATEFUL

MEANS = """</edges>
    <pre-process reference-layer-name="x">
        <channel id="0"><mean value="0.5"/></channel>
        <channel id="1"><mean value="0.25"/></channel>
        <channel id="2"><mean value="0.125"/></channel>
    </pre-process>"""
X = np.array([[1, -2, 3], [4, 5, 9]], np.float32)


def two(folder: Path) -> Path:
    """Write a model that doubles a float tensor and passes an integer one on."""
    ir = Writer("two")
    x, n = ir.parameter("x", F32, Shape.parse("?,3")), ir.parameter("n", I64, Shape([2]))
    (y,) = ir.layer("Add", "opset1", [x, x], [Fact(F32, Shape.parse("?,3"))], name="sum", names=["b,a"])
    ir.result(y, "double")
    ir.result(n, "same")
    ir.save(folder / "two.xml")
    return folder / "two.xml"


def test_model(tmp_path: Path) -> None:
    path = two(tmp_path)
    model = irrun.model.load(path)
    assert (model.friendly_name, model.filename) == ("two", str(path))
    assert model.document.path == path
    assert model.bound.graph.parameters == (0, 1)
    assert model.diagnostics == ()
    assert model.means() == {}
    assert [port.index for port in (*model.inputs, *model.outputs)] == [0, 1, 0, 1]
    assert (model.input(1).any_name, model.input("x").index, model.output("a").index) == ("n", 0, 0)
    assert irrun.model.load(path.read_bytes()).filename == ""
    assert repr(model).startswith('<Loaded \'two\' inputs=[<Port "x" f32[?,3]>, <Port "n" i64[2]>]')


def test_means() -> None:
    (mean,) = irrun.model.load(NET.replace("</edges>", MEANS).encode()).means().items()
    assert mean[0] == 0
    np.testing.assert_array_equal(mean[1], np.array([0.5, 0.25, 0.125], np.float32))


def test_port(tmp_path: Path) -> None:
    model = irrun.model.load(two(tmp_path))
    port = model.output("a")
    assert port.names == port.get_names() == {"a", "b"}
    assert port.any_name == port.get_any_name() == "a"
    assert port.all_names == ("a", "b", "sum", "double")
    assert str(port.partial_shape) == str(port.get_partial_shape()) == "[?,3]"
    assert port.element_type is port.get_element_type() is F32
    assert port.index == port.get_index() == 0
    assert model.output(1).shape == (2,)
    assert repr(model.input(1)) == '<Port "n" i64[2]>'


def test_outputs(tmp_path: Path) -> None:
    compiled = irrun.model.build(two(tmp_path))
    n = np.array([7, 8])
    outputs = compiled({"x": X, "n": n})
    first, second = outputs.to_tuple()
    np.testing.assert_array_equal(first, 2 * X)
    np.testing.assert_array_equal(second, n)
    assert list(outputs) == compiled.outputs
    assert len(outputs) == 2
    by_port = outputs.to_dict()
    assert by_port[compiled.output("double")] is first
    assert by_port[compiled.output(1)] is outputs[1] is second
    assert outputs["a"] is outputs["sum"] is first


def test_compiled_model(tmp_path: Path) -> None:
    compiled = irrun.model.build(two(tmp_path))
    assert compiled.input("n").element_type is I64
    assert str(compiled.output("a").partial_shape) == "[?,3]"
    np.testing.assert_array_equal(compiled([X, np.array([0, 1])])["double"], 2 * X)
    assert repr(compiled).startswith("<Compiled")


def test_state() -> None:
    compiled = irrun.model.build(irrun.model.load(STATEFUL.encode()))
    request = compiled.session()
    request.run([X[0, :2]])
    assert list(request.state.values) == ["state"]
    request.state.reset("state")
    np.testing.assert_array_equal(request.run([X[0, :2]])[0], X[0, :2])
    request.state.reset()
    np.testing.assert_array_equal(request.run([X[0, :2]])[0], X[0, :2])


@pytest.mark.parametrize("key", ["z", 5])
def test_no_such_port(key: int | str, tmp_path: Path) -> None:
    with pytest.raises((irrun.InputError, KeyError, IndexError), match=str(key)):
        irrun.model.load(two(tmp_path)).input(key)
