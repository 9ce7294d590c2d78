"""Edited models: what they compute beside the original, here and in OpenVINO, and what the files hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.diagnostics import IRError
from irrun.document.writer import Writer
from irrun.model import InputError, Loaded, build, load
from irrun.model.layers import places_of
from irrun.ops._declared.infrastructure.const import Const
from irrun.reporting.diff import diff
from irrun.surgery import convert, extract, record, rename, reshape, save, strip, without_names
from irrun.tensor import Array, Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.engines import need
from tests.reporting.models import loaded, looping, network

IMAGE = np.random.default_rng(3).normal(size=(1, 3, 8, 8)).astype("f4")


def outputs(model: Loaded, *inputs: Array) -> list[Array]:
    return [np.asarray(item) for item in build(model, {}).session().run(list(inputs)).to_tuple()]


def native(path: Path, *inputs: Array) -> list[Array]:
    ov = need("openvino")
    compiled = ov.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return [np.array(item) for item in compiled.create_infer_request().infer(list(inputs)).to_tuple()]


def saved(model: Loaded, folder: Path) -> Loaded:
    save(model, folder / "saved.xml")
    return load(folder / "saved.xml")


def constant(model: Loaded, name: str) -> Any:
    (op,) = [place.node.op for place in places_of(model) if place.node.name == name]
    assert isinstance(op, Const)
    return op


def test_a_saved_model_is_equal(tmp_path: Path) -> None:
    model = loaded(network())
    other = saved(model, tmp_path)
    assert diff(model, other).is_equal
    assert native(tmp_path / "saved.xml", IMAGE)[0] == pytest.approx(outputs(model, IMAGE)[0], rel=1e-5)


def test_extract(tmp_path: Path) -> None:
    model = loaded(network())
    found = extract(model, ["relu"], ["right"])
    assert (found.inputs, found.outputs) == ((("bias", 0),), (("right", 0),))
    arrays = record(found, {"image": IMAGE})
    assert [array.shape for array in arrays.values()] == [(1, 4, 8, 8)]
    piece = saved(found.model, tmp_path)
    assert [node.type for node in piece.graph.ordered()] == ["Parameter", "ReLU", "MaxPool", "Tanh", "Result"]
    whole = extract(model, [], ["right"])
    (expected,) = outputs(whole.model, IMAGE)
    assert np.array_equal(outputs(piece, *arrays.values())[0], expected)
    assert native(tmp_path / "saved.xml", *arrays.values())[0] == pytest.approx(expected, rel=1e-5)


def test_extract_with_a_second_way_in() -> None:
    found = extract(loaded(network()), ["left"], ["flat"])
    assert found.inputs == (("pool", 0), ("right", 0))
    assert [port.any_name for port in found.model.inputs] == ["pool", "right"]
    assert found.outputs == (("flat", 0),)


def test_extract_keeps_constants() -> None:
    found = extract(loaded(network()), ["conv"], ["bias"])
    types = sorted(node.type for node in found.model.graph.ordered())
    assert types == ["Add", "Const", "Const", "Convolution", "Parameter", "Result"]


def test_extract_keeps_the_decompression_of_weights() -> None:
    model = convert(loaded(network()), "f16")
    found = extract(model, ["conv"], ["bias"])
    types = sorted(node.type for node in found.model.graph.ordered())
    assert types == ["Add", "Const", "Const", "Convert", "Convert", "Convolution", "Parameter", "Result"]


def test_extract_to_the_end() -> None:
    assert extract(loaded(network()), ["sum"]).outputs == (("flat", 0),)
    assert extract(loaded(network()), ["sum"], ["scores"]).outputs == (("flat", 0),)


def stateful() -> Loaded:
    """Return a model with a running sum: x -> double -> total, which is assigned and returned through a ReLU."""
    ir = Writer("state")
    fact = Fact(F32, Shape([2]))
    x = ir.parameter("x", F32, fact.shape)
    data = {"variable_id": "v", "variable_type": "f32", "variable_shape": "2"}
    (read,) = ir.layer("ReadValue", "opset6", [], [fact], data, name="read")
    (double,) = ir.layer("Add", "opset1", [x, x], [fact], {"auto_broadcast": "numpy"}, name="double")
    (total,) = ir.layer("Add", "opset1", [read, double], [fact], {"auto_broadcast": "numpy"}, name="total")
    ir.layer("Assign", "opset6", [total], [fact], {"variable_id": "v"}, name="assign")
    ir.result(ir.layer("ReLU", "opset1", [total], [fact], name="relu")[0], "y")
    return load(ir.text.encode(), ir.weights)


@pytest.mark.parametrize(
    ("begin", "end", "inputs", "said"),
    [
        ([], ["total"], ["x"], ()),
        (["total"], ["relu"], ["double"], ('"double" becomes an input',)),
        (["relu"], [], ["total"], ('"total" becomes an input',)),
        (
            *([], ["double", "read"], ["x", "read"]),
            ('"read" becomes an input: variable "v" is assigned outside of the part',),
        ),
    ],
    ids=["it stays", "with a constant beginning", "outside", "it becomes an input"],
)
def test_variables_of_a_part(begin: list[str], end: list[str], inputs: list[str], said: tuple[str, ...]) -> None:
    found = extract(stateful(), begin, end)
    assert [name for name, _ in found.inputs] == inputs
    assert found.crossings == said
    assert len(found.model.graph.sinks) == ("total" in (*begin, *end))


def test_a_part_keeps_results_and_notes() -> None:
    path = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"
    model = load(path).with_notes({"model_info": {"labels": "cat dog"}})
    (source,) = model.graph.sources(model.graph.results[0])
    assert source is not None
    found = extract(model, [], [model.graph.node(source.node).name])
    assert found.model.notes == {"model_info": {"labels": "cat dog"}}
    assert [port.names for port in found.model.outputs] == [port.names for port in model.outputs]
    assert [port.result_name for port in found.model.outputs] == [port.result_name for port in model.outputs]


@pytest.mark.parametrize(
    ("begin", "end", "message"),
    [
        (["rleu"], [], 'no layer "rleu"; did you mean relu'),
        (["right"], ["relu"], 'no path that begins at "right" is between the layers that are given'),
        ([], ["scores_"], 'no layer "scores_"; did you mean scores'),
    ],
)
def test_extract_what_is_not_there(begin: list[str], end: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        extract(loaded(network()), begin, end)


def test_extract_of_a_body(tmp_path: Path) -> None:
    model = looping(tmp_path)
    inner = next(place.name for place in places_of(model) if place.outer is not None)
    with pytest.raises(InputError, match=r"is in a body of .*, expected a layer of the model itself"):
        extract(model, [inner])


def test_extract_of_a_layer_with_a_body(tmp_path: Path) -> None:
    model = looping(tmp_path)
    loop = next(node for node in model.graph.ordered() if node.bodies)
    found = extract(model, [loop.name], [loop.name])
    arrays = record(
        found, {port.any_name: np.ones(port.partial_shape.static, port.element_type.dtype) for port in model.inputs}
    )
    expected = outputs(model, *(np.ones(port.partial_shape.static, port.element_type.dtype) for port in model.inputs))
    made = outputs(saved(found.model, tmp_path), *arrays.values())
    assert any(np.array_equal(made[0], array) for array in expected)


def test_reshape(tmp_path: Path) -> None:
    model = saved(reshape(loaded(network()), {"image": "2,3,16,16"}), tmp_path)
    assert str(model.inputs[0].partial_shape) == "[2,3,16,16]"
    assert str(model.outputs[0].partial_shape) == "[2,256]"
    text = (tmp_path / "saved.xml").read_text()
    assert "<dim>256</dim>" in text
    assert native(tmp_path / "saved.xml", np.ones((2, 3, 16, 16), "f4"))[0].shape == (2, 256)


def test_reshape_to_what_does_not_fit() -> None:
    with pytest.raises(IRError, match="channels of data and kernel must be the same, got 5 and 3"):
        reshape(loaded(network()), {"image": [1, 5, 8, 8]})
    with pytest.raises(InputError, match='no input "imag"'):
        reshape(loaded(network()), {"imag": [1, 3, 8, 8]})


def test_strip() -> None:
    model = loaded(network())
    stripped = strip(model)
    kernel, other = (constant(item, "kernel") for item in (stripped, strip(model, seed=1)))
    original = model.facts.of[next(o for o in model.facts.of if model.graph.node(o.node).name == "kernel")].constant
    assert original is not None
    values = kernel.fact.constant
    assert values.shape == original.shape
    assert not np.isclose(values, original).any()
    assert not np.array_equal(values, other.fact.constant)
    assert np.array_equal(values, constant(strip(model), "kernel").fact.constant)
    assert original.min() <= values.min()
    assert values.max() <= original.max()
    assert str(constant(stripped, "shape").element_type) == "i64"
    assert outputs(stripped, IMAGE)[0].shape == (1, 64)


def test_strip_to_zeros(tmp_path: Path) -> None:
    stripped = saved(strip(loaded(network()), seed=None), tmp_path)
    assert (outputs(stripped, IMAGE)[0][:, :32] >= 0).all()
    assert outputs(stripped, IMAGE)[0] == pytest.approx(np.full((1, 64), 0.5))


def test_strip_keeps_what_shapes_depend_on() -> None:
    ir = Writer("resize")
    x = ir.parameter("x", F32, Shape([1, 1, 4, 4]))
    scales = ir.constant(np.array([2.0, 3.0], "f4"), F32, "scales")
    axes = ir.constant(np.array([2, 3]), I64, "axes")
    factors = ir.constant(np.array([[[[0.5]], [[0.25]]]], "f4").reshape(1, 2, 1, 1), F32, "factors")
    data = {"mode": "nearest", "shape_calculation_mode": "scales"}
    (y,) = ir.layer("Interpolate", "opset11", [x, scales, axes], [Fact(F32, Shape([1, 1, 8, 12]))], data, name="resize")
    (z,) = ir.layer("Multiply", "opset1", [y, factors], [Fact(F32, Shape([1, 2, 8, 12]))], {"auto_broadcast": "numpy"})
    ir.result(z, "y")
    model = load(ir.text.encode(), ir.weights)
    found = diff(model, strip(model))
    assert [(item.kind, item.layer) for item in found.changes] == [("constant", "factors")]


def test_convert(tmp_path: Path) -> None:
    model = loaded(network())
    half = saved(convert(model, "f16"), tmp_path)
    assert str(constant(half, "kernel_compressed").element_type) == "f16"
    assert str(constant(half, "shape").element_type) == "i64"
    assert outputs(half, IMAGE)[0] == pytest.approx(outputs(model, IMAGE)[0], abs=1e-2)
    assert native(tmp_path / "saved.xml", IMAGE)[0] == pytest.approx(outputs(half, IMAGE)[0], abs=1e-4)
    full = convert(half, "f32")
    assert str(constant(full, "kernel").element_type) == "f32"
    assert not [node for node in full.graph.ordered() if node.type == "Convert"]
    assert outputs(full, IMAGE)[0] == pytest.approx(outputs(half, IMAGE)[0], abs=1e-6)


def test_convert_in_bodies(tmp_path: Path) -> None:
    model = looping(tmp_path)
    half = saved(convert(model, "f16"), tmp_path)
    given = [np.ones(port.partial_shape.static, port.element_type.dtype) for port in model.inputs]
    for a, b in zip(outputs(model, *given), outputs(half, *given), strict=True):
        assert a == pytest.approx(b, rel=1e-3)


def test_rename(tmp_path: Path) -> None:
    model = loaded(network())
    renamed = saved(rename(model, {"conv": "stem"}, {"flat": "probabilities"}), tmp_path)
    assert [(item.what, item.before, item.after) for item in diff(model, renamed).changes] == [
        ("layer", "conv", "stem"),
        ("tensor names of output 0", "flat", "probabilities"),
    ]
    assert renamed.outputs[0].any_name == "probabilities"


def test_rename_in_a_body(tmp_path: Path) -> None:
    model = looping(tmp_path)
    inner = next(place for place in places_of(model) if place.outer is not None and place.node.type == "Add")
    renamed = saved(rename(model, {inner.name: "running sum"}), tmp_path)
    assert [(item.layer, item.after) for item in diff(model, renamed).changes] == [(inner.name, "running sum")]


def test_rename_what_is_not_there() -> None:
    with pytest.raises(InputError, match='no layer "cnov"; did you mean conv'):
        rename(loaded(network()), {"cnov": "stem"})
    with pytest.raises(InputError, match='no tensor "flatt"; did you mean flat'):
        rename(loaded(network()), {}, {"flatt": "y"})


def test_without_names(tmp_path: Path) -> None:
    model = loaded(network())
    made = saved(without_names(model), tmp_path)
    assert [port.any_name for port in (*made.inputs, *made.outputs)] == ["input_0", "output_0"]
    assert sorted(node.name for node in made.graph.ordered())[:4] == ["Add_0", "Add_1", "Const_0", "Const_1"]
    assert diff(model, made, names=False).is_equal


def test_means_are_written(tmp_path: Path) -> None:
    """A model with <pre-process> is written with the subtraction as layers."""
    ir = Writer("mean", version="10")
    x = ir.parameter("x", F32, Shape([1, 2, 2, 2]))
    (y,) = ir.layer("ReLU", "opset1", [x], [Fact(F32, Shape([1, 2, 2, 2]))], name="relu")
    ir.result(y, "y")
    channels = "".join(f'<channel id="{id}"><mean value="{value}"/></channel>' for id, value in ((0, 1), (1, 2)))
    text = ir.text.replace(
        "</net>", f'<pre-process reference-layer-name="x" mean-precision="FP32">{channels}</pre-process></net>'
    )
    model = load(text.encode(), ir.weights)
    image = np.full((1, 2, 2, 2), 5, "f4")
    expected = outputs(model, image)[0]
    assert expected[0, :, 0, 0].tolist() == [4, 3]
    made = saved(model, tmp_path)
    assert np.array_equal(outputs(made, image)[0], expected)
    assert np.array_equal(native(tmp_path / "saved.xml", image)[0], expected)
