"""Other attributes, values and names of tensors, preprocessing and variables, from Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import Writer
from irrun.model import InputError, Loaded, build, load
from irrun.surgery import extract, make_states, preprocess, record, rename, set_attributes, set_weights, strip
from irrun.surgery.preprocessing import Preprocessing
from irrun.tensor import Array, Shape
from irrun.tensor.element_type import F32
from tests.cases import f32
from tests.nets import Net

X = f32([[1, -2, 3, 4]])


@pytest.fixture
def model(tmp_path: Path) -> Loaded:
    """The halves of x less a constant of integers, as floats, and their product with another constant."""
    net = Net()
    shift = net.layer("Convert", [net.constant(np.array([1, 2, 3, 4]), "i8", name="codes")], destination_type="f32")
    less = net.layer("Subtract", [net.parameter("x", "1,4"), shift], name="less")
    first, second = net.layers("Split", [less, net.constant(1, name="axis")], 2, num_splits=2, name="split")
    made = net.layer("Multiply", [first, net.constant(f32(0.5), name="factor")], name="scaled")
    net.result(net.layer("Concat", [made, second], axis=1, name="joined", tensor="y"))
    return load(net.save(tmp_path / "net.xml"))


def outputs(model: Loaded, *inputs: Array) -> list[Any]:
    return build(model)(list(inputs or (X,)))[0].tolist()


def test_integers_of_an_array(model: Loaded) -> None:
    made = set_weights(model, "codes", np.array([-128, 0, 0, 127], np.int64))
    assert outputs(made) == [[64.5, -1, 3, -123]]
    assert outputs(set_weights(model, "factor", 2)) == [[0, -8, 0, 0]]
    assert outputs(set_weights(model, "factor", np.array(2, np.float32))) == [[0, -8, 0, 0]]


@pytest.mark.parametrize(
    ("layer", "values", "message"),
    [
        ("codes", np.array([0, 0, 0, 128]), "the array has values from 0 to 128, expected those of i8"),
        ("codes", f32([1, 2, 3, 4]), 'the array is float32, expected int8 for the i8 of "codes"'),
        ("codes", np.zeros(3, np.int8), 'the array has shape [3], expected [4], that of "codes"'),
        ("codes", 3, "the constant is i8[4], expected an array instead of a number"),
        ("axis", 0.5, "0.5 is not an integer, expected a value of i64"),
        ("axis", 2, 'layer "split": '),
        ("scaled", 1, 'layer "scaled" (Multiply) is no constant; it reads the constant "factor"'),
        ("joined", 1, 'layer "joined" (Concat) is no constant'),
    ],
)
def test_values_that_do_not_fit(model: Loaded, layer: str, values: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        set_weights(model, layer, values)
    assert str(error.value).startswith(message)


def test_texts(tmp_path: Path) -> None:
    net = Net()
    text = net.constant(np.array(["a", "b"], object), "string", name="text")
    net.result(net.layer("ShapeOf", [text], opset=3), net.layer("Relu", [net.parameter("x", "1")]))
    plain = load(net.save(tmp_path / "net.xml"))
    set_weights(plain, "text", np.array(["c", "d"]))
    with pytest.raises(InputError, match=r'^the array is float32, expected strings, those of "text"$'):
        set_weights(plain, "text", f32([1, 2]))


def test_attributes(model: Loaded) -> None:
    with pytest.raises(InputError, match=r'^layer "split": '):
        set_attributes(model, "split", {"num_splits": "3"})
    with pytest.raises(InputError, match=r'^layer "codes" is a constant: irrun edit weights sets its values$'):
        set_attributes(model, "codes", {"shape": "3"})


def test_attributes_of_what_is_not_known(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Mystery", [net.parameter("x", "1")], "1", opset="extension", name="m"))
    plain = load(net.save(tmp_path / "net.xml"), extensions=())
    what = r'^layer "m" \(Mystery\) is not understood, so its attributes are not known$'
    with pytest.raises(InputError, match=what):
        set_attributes(plain, "m", {"a": "1"})


def nameless(folder: Path) -> Loaded:
    """A model whose input and output have no tensor names."""
    ir = Writer("net")
    x = ir.parameter("x", F32, Shape([2]))
    (made,) = ir.layer("Tanh", "opset1", [x], [x.fact], name="tanh")
    ir.result(made, "end")
    ir.save(folder / "plain.xml")
    return load(folder / "plain.xml")


def test_names_of_tensors(model: Loaded) -> None:
    made = rename(model, {}, {"x": "image", "y": "scores", "split:1": "rest", "less": "shifted"})
    assert [port.any_name for port in (*made.inputs, *made.outputs)] == ["image", "scores"]
    names = {node.name: node.names for node in made.graph.ordered()}
    assert (names["split"][1], names["less"][0]) == (("rest",), ("shifted",))


def test_names_of_ends_that_have_none(tmp_path: Path) -> None:
    plain = nameless(tmp_path)
    made = rename(plain, {}, {plain.inputs[0].any_name: "image", plain.outputs[0].any_name: "scores"})
    assert [port.any_name for port in (*made.inputs, *made.outputs)] == ["image", "scores"]


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"split:2": "rest"}, 'layer "split" has 2 outputs, so there is no output 2'),
        ({"spilt:1": "rest"}, 'no tensor "spilt:1"'),
        ({"x": ""}, "a new name is empty"),
        ({"x": "y"}, 'the tensor name "y" is that of '),
    ],
)
def test_names_that_do_not_fit(model: Loaded, tensors: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as error:
        rename(model, {}, tensors)
    assert str(error.value).startswith(message)


def two_inputs(folder: Path, second: str = "1,2", type: str = "f32") -> Loaded:
    net = Net()
    made = net.layer("Add", [net.parameter("a", "1,2"), net.parameter("b", "1,2")], name="sum", tensor="c")
    net.result(made, net.layer("Convert", [net.parameter("d", second)], destination_type=type, tensor="e"))
    return load(net.save(folder / "two.xml"))


def test_preprocessing_needs_the_name_of_an_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^the model has 3 inputs, expected the name of one$"):
        preprocess(two_inputs(tmp_path), Preprocessing(type="u8"))


def test_images_of_another_size_and_layout(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Relu", [net.parameter("image", "1,3,4,4")], tensor="y"))
    plain = load(net.save(tmp_path / "net.xml"))
    steps = Preprocessing(layout="NHWC", model_layout="NCHW", resize="nearest", size=(2, 2))
    made = preprocess(plain, steps)
    assert made.inputs[0].partial_shape == Shape([1, 2, 2, 3])
    image = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
    expected = image.transpose(0, 3, 1, 2).repeat(2, axis=2).repeat(2, axis=3)
    assert build(made)([image])[0].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("shape", "type", "message"),
    [
        ("1,2", "f16", 'output "e" is f16, expected f32, as input "a"'),
        ("1,3", "f32", 'output "e" has shape [1,3], expected [1,2], that of input "a"'),
    ],
)
def test_variables_of_what_does_not_fit(shape: str, type: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        make_states(two_inputs(tmp_path, shape, type), {"a": "e"})
    assert str(error.value) == message


def test_a_piece_that_reads_nothing(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Add", [net.constant(f32([1])), net.constant(f32([2]))], name="sum"), net.parameter("x", "1"))
    found = extract(load(net.save(tmp_path / "net.xml")), [], ["sum"])
    assert record(found, {"x": f32([0])}) == {}


def test_random_weights(tmp_path: Path) -> None:
    """They have the range of the weights; a constant without finite numbers becomes zero."""

    def add(net: Net, at: Any, values: Array, name: str) -> Any:
        return net.layer("Add", [at, net.constant(values, name=name)])

    net = Net()
    at = add(net, net.parameter("x", "8,8"), np.linspace(2, 3, 64, dtype=np.float32).reshape(8, 8), "near")
    net.result(add(net, at, np.full((8, 8), np.nan, np.float32), "lost"))
    made = strip(load(net.save(tmp_path / "net.xml")), seed=1)
    values: Callable[[str], Any] = lambda name: next(  # noqa: E731
        fact.constant for node in made.graph.ordered() if node.name == name for fact in [made.facts.of[node.id, 0]]
    )
    assert 2 <= values("near").min() < values("near").max() <= 3
    assert values("lost").tolist() == np.zeros((8, 8)).tolist()
