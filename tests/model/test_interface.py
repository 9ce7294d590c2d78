"""Types and names of inputs and outputs, in both versions of IR."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle, Writer
from irrun.tensor import ElementType, Fact, Shape
from irrun.tensor.element_type import (
    BF16,
    BOOLEAN,
    BY_NAME,
    F8E4M3,
    F16,
    F32,
    F64,
    I4,
    I8,
    I16,
    I32,
    I64,
    NF4,
    U1,
    U8,
    U16,
    U32,
    U64,
)

READ_AS = [
    (F32, F32, F32),
    (F16, F32, F32),
    (BF16, BF16, F32),
    (F64, F64, F32),
    (F8E4M3, F8E4M3, F32),
    (NF4, NF4, F32),
    (I64, I64, I32),
    (I32, I32, I32),
    (I16, I16, F32),
    (I8, I8, F32),
    (I4, I4, F32),
    (U64, U64, I32),
    (U32, U32, I32),
    (U16, U16, F32),
    (U8, U8, F32),
    (U1, U1, F32),
    (BOOLEAN, BOOLEAN, F32),
]
"""The element type in a file of version 10, and the types that irrun reads for an input and for an output."""


def through(type: ElementType, version: str, path: Path, size: int = 4) -> Path:
    """Write a model of x -> Reshape "y" -> a Result, in one element type."""
    ir = Writer("through", version)
    fact = Fact(type, Shape([size]))
    pattern = ir.constant(np.array([size]), I64, name="pattern")
    x = ir.layer("Parameter", "opset1", [], [fact], {"shape": str(size), "element_type": type.name}, name="x")[0]
    ir.result(ir.layer("Reshape", "opset1", [x, pattern], [fact], {"special_zero": "false"}, name="y")[0], "r")
    ir.save(path / "through.xml")
    return path / "through.xml"


@pytest.mark.parametrize(("declared", "given", "returned"), READ_AS, ids=[str(row[0]) for row in READ_AS])
def test_types_of_version_10(declared: ElementType, given: ElementType, returned: ElementType, tmp_path: Path) -> None:
    model = irrun.model.load(through(declared, "10", tmp_path))
    (x,), (y,) = model.inputs, model.outputs
    assert (x.element_type, x.declared_type) == (given, declared)
    assert (y.element_type, y.declared_type) == (returned, declared)
    compiled = irrun.model.build(model)
    assert compiled([np.zeros(4, given.external)])[0].dtype == returned.external


@pytest.mark.parametrize("type", [item for item in BY_NAME.values() if item.kind not in ("dynamic", "string")])
def test_types_of_version_11_are_those_of_the_file(type: ElementType, tmp_path: Path) -> None:
    model = irrun.model.load(through(type, "11", tmp_path))
    assert [port.element_type for port in (*model.inputs, *model.outputs)] == [type, type]


CONVERTED = [
    (BOOLEAN, [False, True, True], [0.0, 1.0, 1.0]),
    (F64, [1 / 3, -2.5, 1e-300], [0.3333333432674408, -2.5, 0.0]),
    (I8, [-128, 0, 127], [-128.0, 0.0, 127.0]),
    (U16, [0, 7, 65535], [0.0, 7.0, 65535.0]),
    (I64, [5, -6, 2**31 - 1], [5, -6, 2**31 - 1]),
    (I64, [2**31, -(2**31) - 1, 2**40 + 7], [-(2**31), 2**31 - 1, 7]),
    (U64, [5, 2**63, 2**64 - 1], [5, 0, -1]),
    (U32, [5, 2**31, 2**32 - 1], [5, -(2**31), -1]),
]
"""An element type, the values of an input, and the values that OpenVINO returns for them."""


@pytest.mark.parametrize(("type", "values", "expected"), CONVERTED)
def test_values_of_version_10(type: ElementType, values: list[float], expected: list[float], tmp_path: Path) -> None:
    got = irrun.model.build(through(type, "10", tmp_path, 3))([np.array(values, type.external)])[0]
    np.testing.assert_array_equal(
        got, np.array(expected, I32.external if isinstance(expected[0], int) else F32.external)
    )


def test_the_inside_of_version_10_keeps_its_types_as_written(tmp_path: Path) -> None:
    ir = Writer("half", "10")
    x = parameter(ir, "x", F16, [1])
    ir.result(ir.layer("Multiply", "opset1", [x, x], [x.fact], name="y")[0])
    ir.save(tmp_path / "half.xml")
    compiled = irrun.model.build(tmp_path / "half.xml", {"OPTIMIZE": False})
    got = compiled([np.array([1.001], np.float32)])[0]
    assert got.dtype == np.float32
    assert got[0] == np.float16(np.float32(np.float16(1.001)) ** 2)


def test_results_of_version_10_are_the_callers_own(tmp_path: Path) -> None:
    compiled = irrun.model.build(through(F16, "10", tmp_path))
    given = np.ones(4, np.float32)
    compiled([given])[0][:] = 7
    np.testing.assert_array_equal(given, np.ones(4, np.float32))
    np.testing.assert_array_equal(compiled([given])[0], np.ones(4, np.float32))


def test_reshape_keeps_the_types_of_version_10(tmp_path: Path) -> None:
    ir = Writer("half", "10")
    x = parameter(ir, "x", F16, [1])
    ir.result(ir.layer("ReLU", "opset1", [x], [x.fact], name="y")[0])
    ir.save(tmp_path / "half.xml")
    model = irrun.model.load(tmp_path / "half.xml")
    model = model.reshaped({"x": [3]})
    assert [(port.element_type, port.declared_type, port.shape) for port in model.inputs] == [(F32, F16, (3,))]
    got = irrun.model.build(model)({"x": np.array([-1, 2, 3], np.float32)})["y"]
    np.testing.assert_array_equal(got, np.array([0, 2, 3], np.float32))


# -- names


def parameter(ir: Writer, name: str, type: ElementType, shape: list[int], names: str = "") -> Handle:
    data = {"shape": ",".join(map(str, shape)), "element_type": type.name}
    return ir.layer("Parameter", "opset1", [], [Fact(type, Shape(shape))], data, name=name, names=[names])[0]


def split(version: str, names: tuple[str, str] = ("", "")) -> irrun.model.Loaded:
    """Return a model of x -> Split "halves" -> two Results."""
    ir = Writer("split", version)
    x = parameter(ir, "x", F32, [4])
    axis = ir.constant(np.array(0), I64)
    half = Fact(F32, Shape([2]))
    for part in ir.layer("Split", "opset1", [x, axis], [half, half], {"num_splits": "2"}, name="halves", names=names):
        ir.result(part, f"part {part.port}")
    return irrun.model.load(ir.text.encode(), ir.weights)


def test_names_of_layers_are_tensor_names_in_version_10() -> None:
    model = split("10", ("low,first", ""))
    assert [port.names for port in model.inputs] == [{"x"}]
    assert [port.names for port in model.outputs] == [{"low", "first", "halves.0"}, {"halves.1"}]
    outputs = irrun.model.build(model)({"x": np.arange(4, dtype=np.float32)})
    np.testing.assert_array_equal(outputs["halves.1"], np.array([2, 3], np.float32))
    np.testing.assert_array_equal(outputs["low"], np.array([0, 1], np.float32))


def test_names_of_layers_are_no_tensor_names_in_version_11() -> None:
    model = split("11")
    assert [port.names for port in (*model.inputs, *model.outputs)] == [set(), set(), set()]
    assert [port.any_name for port in (*model.inputs, *model.outputs)] == ["x", "halves", "halves"]


def test_a_layer_of_several_outputs_of_which_one_is_written() -> None:
    ir = Writer("top", "10")
    x = parameter(ir, "x", F32, [4])
    k = ir.constant(np.array(2), I64)
    data = {"axis": "0", "mode": "max", "sort": "value", "index_element_type": "i32"}
    ir.result(ir.layer("TopK", "opset3", [x, k], [Fact(F32, Shape([2]))], data, name="best")[0])
    (port,) = irrun.model.load(ir.text.encode(), ir.weights).outputs
    assert port.names == {"best.0"}


def test_output_names_are_not_read_in_version_10() -> None:
    text = through_text("10")
    assert irrun.model.load(text.replace('name="r"', 'name="r" output_names="z"').encode()).output().names == {"y"}
    text = through_text("11")
    assert irrun.model.load(text.replace('name="r"', 'name="r" output_names="z"').encode()).output().names == {"z"}


def through_text(version: str) -> str:
    ir = Writer("through", version)
    x = parameter(ir, "x", F32, [4])
    ir.result(ir.layer("ReLU", "opset1", [x], [x.fact], name="y")[0], "r")
    return ir.text


@pytest.mark.parametrize(
    ("names", "distinct"),
    [
        (("n", "n", "n"), ("n", "n_1", "n_2")),
        (("n", "n_1", "n"), ("n", "n_1", "n_2")),
        (("n", "n", "n_1"), ("n", "n_1", "n_1_1")),
        (("n,m", "n,m", "q"), ("m,n", "m_1,n_1", "q")),
    ],
)
def test_tensor_names_that_repeat_get_a_number(names: tuple[str, ...], distinct: tuple[str, ...]) -> None:
    ir = Writer("net")
    for index, name in enumerate(names):
        x = parameter(ir, f"x{index}", F32, [1], name)
        ir.result(ir.layer("ReLU", "opset1", [x], [x.fact])[0])
    model = irrun.model.load(ir.text.encode())
    assert [",".join(sorted(port.names)) for port in model.inputs] == list(distinct)


def test_a_tensor_of_two_results_has_the_same_names_at_both() -> None:
    ir = Writer("net")
    x = parameter(ir, "x", F32, [1], "image")
    ir.result(x)
    ir.result(x)
    model = irrun.model.load(ir.text.encode())
    assert [port.names for port in (*model.inputs, *model.outputs)] == [{"image"}] * 3
