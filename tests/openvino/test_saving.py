"""Models that are saved, pickled and copied: OpenVINO reads them, and both agree on their results."""

from __future__ import annotations

import copy
import os
import pickle
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.openvino import opset13 as ops
from irrun.tensor import Array
from irrun.tensor.element_type import F16
from tests.cases import ModelCase, all_models
from tests.engines import need
from tests.lab.faults.paths import LARGE, write_model
from tests.nets import Net

openvino = need("openvino")

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = [FOLDER / "digits" / "model.xml", *sorted((FOLDER / "pages").glob("*.xml"))]
F32 = {"INFERENCE_PRECISION_HINT": "f32"}


def random_inputs(model: irrun.CompiledModel) -> list[Array]:
    generator = np.random.default_rng(3)
    found = []
    for port in model.inputs:
        sizes = [dim.get_length() if dim.is_static else max(2, dim.min_length) for dim in port.partial_shape]
        dtype = port.element_type.to_dtype()
        values = generator.standard_normal(sizes) if dtype.kind == "f" else generator.integers(0, 2, sizes)
        found.append(values.astype(dtype))
    return found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_survive(path: Path, tmp_path: Path) -> None:
    core = openvino.Core()
    model = irrun.read_model(path)
    compiled = irrun.compile_model(model)
    inputs = random_inputs(compiled)
    expected = list(compiled(inputs).values())
    irrun.save_model(model, tmp_path / "saved.xml", compress_to_fp16=False)
    theirs = core.read_model(tmp_path / "saved.xml")
    for made in (list(core.compile_model(theirs, "CPU", F32)(inputs).values()), _again(theirs, inputs, tmp_path)):
        for ours, other in zip(expected, made, strict=True):
            np.testing.assert_allclose(ours, other, rtol=1e-3, atol=1e-3)


def _again(model: openvino.Model, inputs: list[Array], folder: Path) -> list[Array]:
    """Return the results of irrun for what OpenVINO saved."""
    openvino.save_model(model, folder / "theirs.xml", compress_to_fp16=False)
    return list(irrun.compile_model(folder / "theirs.xml")(inputs).values())


def _plain(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype.kind in "fiub" else array


@pytest.mark.sample(4)
@pytest.mark.parametrize("case", all_models(), ids=str)
def test_bodies_and_variables_survive(case: ModelCase, tmp_path: Path) -> None:
    ir = Writer("net")
    case.build(ir)
    ir.save(tmp_path / "net.xml")
    model = irrun.read_model(tmp_path / "net.xml")
    irrun.serialize(model, tmp_path / "saved.xml")
    request = irrun.model.build(tmp_path / "saved.xml").session()
    for _ in range(case.runs):
        outputs = request.run(list(case.inputs))
    for got, expected in zip(outputs.values(), case.expected, strict=True):
        assert got.shape == expected.shape
        if expected.dtype != object:
            np.testing.assert_allclose(_plain(got), _plain(expected), rtol=max(case.rtol, 1e-2), atol=case.atol)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_are_independent(copied: object) -> None:
    model = irrun.read_model(EXAMPLES[0])
    assert callable(copied)
    other = copied(model)
    x = random_inputs(irrun.compile_model(model))
    for one, two in zip(irrun.compile_model(model)(x).values(), irrun.compile_model(other)(x).values(), strict=True):
        np.testing.assert_array_equal(one, two)
    other.friendly_name = "other"
    assert model.friendly_name != "other"


def test_constants_of_products_are_halved(tmp_path: Path) -> None:
    ops = irrun.opset13
    x = ops.parameter([2, 8], np.float32, name="x")
    weights = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)
    model = irrun.Model([ops.matmul(x, ops.constant(weights), False, False)], [x], "product")
    irrun.save_model(model, tmp_path / "half.xml")
    irrun.save_model(model, tmp_path / "whole.xml", compress_to_fp16=False)
    sizes = [(tmp_path / name).stat().st_size for name in ("half.bin", "whole.bin")]
    assert sizes == [128, 256]
    data = np.ones((2, 8), np.float32)
    halved = openvino.compile_model(tmp_path / "half.xml", "CPU", F32)(data)[0]
    np.testing.assert_allclose(halved, data @ weights.astype(np.float16).astype(np.float32), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(irrun.compile_model(tmp_path / "half.xml")(data)[0], halved, rtol=1e-5, atol=1e-5)


def test_weights_truncated_meanwhile_are_not_saved(tmp_path: Path) -> None:
    path, saved = tmp_path / "large.xml", tmp_path / "saved.xml"
    write_model(path, np.ones(LARGE, np.float32))
    saved.write_text("an old file")
    model = irrun.read_model(path)
    os.truncate(path.with_suffix(".bin"), 4096)
    for save in (irrun.save_model, irrun.serialize):
        with pytest.raises(
            RuntimeError, match=r"not saved: large.bin was (truncated|changed)|large.bin, which has 4096"
        ):
            save(model, saved)
    assert saved.read_text() == "an old file"
    assert not saved.with_suffix(".bin").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("large", ["xml", "bin"])
def test_a_full_disk_keeps_both_files(tmp_path: Path, large: str) -> None:
    import resource

    path = tmp_path / "saved.xml"
    x = ops.parameter([4], np.float32, name="x")
    model = irrun.Model([ops.add(x, ops.constant(np.ones(4, np.float32)))], [x], "sum")
    if large == "bin":
        y = ops.parameter([2048], np.float32, name="x")
        model = irrun.Model([ops.add(y, ops.constant(np.ones(2048, np.float32)))], [y], "sum")
    irrun.serialize(model, path)
    sizes = {name: path.with_suffix(f".{name}").stat().st_size for name in ("xml", "bin")}
    assert max(sizes, key=lambda name: sizes[name]) == large
    for name in sizes:
        path.with_suffix(f".{name}").write_text("an old file")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (sizes[large] - 1, before[1]))
    try:
        for save in (irrun.serialize, partial(irrun.save_model, compress_to_fp16=False)):
            with pytest.raises(RuntimeError, match=rf"saved\.{large}: File too large"):
                save(model, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path.with_suffix(f".{name}").read_text() for name in sizes] == ["an old file"] * 2
    assert sorted(item.name for item in tmp_path.iterdir()) == ["saved.bin", "saved.xml"]


def _v10(folder: Path) -> Path:
    """Write relu(x) + a for x f16 and a i64 in IR version 10, where callers pass x as f32."""
    net = Net("small", "10")
    x, a = net.parameter("x", "1,3", "f16"), net.parameter("a", "1,3", "i64")
    relu, wide = net.layer("ReLU", [x], name="relu", tensor="relu"), net.layer("Convert", [a], destination_type="f16")
    net.result(net.layer("Add", [relu, wide], name="sum", tensor="sum"), name="out")
    return net.save(folder / "old.xml")


def test_outputs_of_version_10_keep_their_names(tmp_path: Path) -> None:
    """Outputs of a layer with several, which are converted, and one of the declared type."""
    net = Net("small", "10")
    x, y = net.parameter("x", "2", "f16"), net.parameter("y", "2")
    relu = net.layer("ReLU", [y], name="relu", tensor="relu")
    parts = [(F16, "1")] * 2
    first, second = net.layers(
        "Split", [x, net.constant(0)], parts, name="split", tensor=["first", "second"], num_splits=2
    )
    net.result(first, second, relu)
    path = net.save(tmp_path / "old.xml")
    found = []
    for module in (openvino, irrun):
        model = module.Core().read_model(path)
        ends = [(sorted(p.names), p.element_type.type_name) for p in (*model.inputs, *model.outputs)]
        run = module.compile_model(model, "CPU")([np.float32([0.5, -2]), np.float32([4, -5])])
        found.append((ends, [run[index].tolist() for index in range(3)]))
    assert found[1] == found[0]


def test_a_model_with_bodies_is_edited(tmp_path: Path) -> None:
    ops = irrun.opset13
    x, cond = ops.parameter([3], np.float32, name="x"), ops.parameter([], bool, name="cond")
    bodies = []
    for factor in (2, -10):
        inner = ops.parameter([3], np.float32)
        bodies.append(irrun.Model([ops.multiply(inner, ops.constant(np.float32(factor)))], [inner], "body"))
    node = ops.if_op(cond.output(0))
    node.set_then_body(bodies[0])
    node.set_else_body(bodies[1])
    node.set_input(x.output(0), bodies[0].parameters[0], bodies[1].parameters[0])
    irrun.save_model(
        irrun.Model([node.set_output(*(body.results[0] for body in bodies))], [x, cond]), tmp_path / "m.xml"
    )
    model = irrun.Core().read_model(tmp_path / "m.xml")
    result = model.results[0]
    result.set_argument(0, ops.abs(result.input_value(0)).output(0))
    irrun.save_model(model, tmp_path / "edited.xml")
    edited = irrun.compile_model(tmp_path / "edited.xml")
    ones = np.array([1, -2, 3], np.float32)
    assert [edited([ones, flag])[0].tolist() for flag in (True, False)] == [[2, 4, 6], [10, 20, 30]]


EDITS = {
    "nothing": lambda model: None,
    "another shape": lambda model: model.reshape({"x": [2, 3], "a": [2, 3]}),
    "other shapes": lambda model: model.reshape({"x": [4, 3], "a": [1, 3]}),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_model_of_version_10_is_edited_and_saved(edit: str, tmp_path: Path) -> None:
    source, made = _v10(tmp_path), []
    for name, module in (("theirs", openvino), ("ours", irrun)):
        model = module.Core().read_model(source)
        EDITS[edit](model)
        module.save_model(model, tmp_path / f"{name}.xml", compress_to_fp16=False)
        for reader in (openvino, irrun):
            compiled = reader.compile_model(reader.Core().read_model(tmp_path / f"{name}.xml"), "CPU")
            ends = [*compiled.inputs, *compiled.outputs]
            ports = [(str(p.partial_shape), p.element_type.type_name, sorted(p.names)) for p in ends]
            arrays = [
                np.linspace(-2, 5, int(np.prod(p.shape))).reshape(p.shape).astype(p.element_type.to_dtype())
                for p in compiled.inputs
            ]
            run = compiled(arrays)
            made.append((ports, [run[index].tolist() for index in range(len(compiled.outputs))]))
    assert made[1:] == made[:1] * 3


_PORT = '<port id="{}" precision="FP32"><dim>2</dim></port>'
_DAMAGED = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output>{port0}</output></layer>
<layer id="1" name="a" type="Add" version="opset1"><input>{port0}{port1}</input>{output}</layer>
<layer id="2" name="r" type="Result" version="opset1"><input>{port0}</input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="{loop}" from-port="{from_port}" to-layer="1" to-port="1"/>
<edge from-layer="1" from-port="2" to-layer="2" to-port="0"/></edges></net>"""


@pytest.mark.parametrize(
    ("loop", "output"), [(1, f"<output>{_PORT.format(2)}</output>"), (0, "")], ids=["cycle", "no output"]
)
def test_a_damaged_model_is_not_saved(tmp_path: Path, loop: int, output: str) -> None:
    ports = {"port0": _PORT.format(0), "port1": _PORT.format(1), "output": output}
    text = _DAMAGED.format(**ports, loop=loop, from_port=2 if loop else 0)
    model = irrun.read_model(text.encode())
    for save in (irrun.save_model, irrun.serialize):
        with pytest.raises(irrun.IRError, match=r"\[IR2\d\d\]"):
            save(model, tmp_path / "damaged.xml")
    assert not list(tmp_path.iterdir())


def test_small_weights_are_halved_too(tmp_path: Path) -> None:
    x = ops.parameter([2], np.float32, name="x")
    model = irrun.Model([ops.add(x, ops.constant(np.float32([0.5, 1e6])))], [x], "m")
    irrun.save_model(model, tmp_path / "halved.xml")
    read = irrun.read_model(tmp_path / "halved.xml")
    assert [node.get_type_name() for node in read.get_ordered_ops()] == [
        *("Parameter", "Constant", "Convert", "Add", "Result"),
    ]
    assert read.get_ordered_ops()[1].data.tolist() == [0.5, 65504]
