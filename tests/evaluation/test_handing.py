"""Arrays of all element types in other engines: as inputs, as outputs, and between layers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from irrun.debugging import OnnxSide, OpenVINOSide, Tolerance, compare
from irrun.evaluation import OpenVINOModel, benchmark
from irrun.evaluation.handing import run_onnx, to_openvino
from irrun.model import Loaded, build, load
from irrun.tensor import Array
from irrun.tensor.element_type import BY_NAME
from tests.engines import need
from tests.nets import Net

VALUES: Final[dict[str, list[Any]]] = {
    **{name: [1.5, -0.25, 0, 2.0**-14, 3.125] for name in ("f64", "f32", "f16", "bf16")},
    **{name: [1.5, -0.25, 0, 2.0**-6, 12] for name in ("f8e4m3", "f8e5m2")},
    "f8e8m0": [0.5, 1, 2, 1024, 2.0**-100],
    "f4e2m1": [0.5, -6, 0, 1.5, 3],
    "nf4": [1, -1, 0, 0.1, 0.4],
    **{name: [100, -128, 0, 7, -1] for name in ("i64", "i32", "i16", "i8")},
    **{name: [200, 255, 0, 7, 1] for name in ("u64", "u32", "u16", "u8")},
    "i4": [7, -8, 0, 3, -1],
    "u4": [15, 8, 0, 3, 1],
    "u2": [3, 2, 0, 1, 1],
    "boolean": [True, False, False, True, True],
    "string": ["a", "", "Grüße", "日本", "b c"],
}


def ir(path: Path, kind: str) -> Path:
    """Write a model that passes on its input, and what a layer makes of it."""
    net = Net()
    x = net.parameter("x", "5", kind)
    if kind != "string":
        net.result(net.layer("Unsqueeze", [x, net.constant([0])], name="row", tensor="r"))
    net.result(x)
    return net.save(path)


def given(kind: str) -> Array:
    return np.array(VALUES[kind], BY_NAME[kind].external)


def answer(model: Loaded, array: Array) -> tuple[Array, ...]:
    return build(model)({0: array}).to_tuple()


@pytest.mark.parametrize("kind", VALUES)
def test_openvino(tmp_path: Path, kind: str) -> None:
    """Inputs and outputs are the same, also where the engine is measured."""
    need("openvino")
    path, array = ir(tmp_path / "net.xml", kind), given(kind)
    model = load(path)
    ours = answer(model, array)
    theirs = OpenVINOSide(path, {0: array}).outputs()
    for mine, its in zip(ours, theirs, strict=True):
        assert mine.shape == its.shape
        assert its.dtype == BY_NAME[kind].external
        assert mine.tolist() == its.tolist()
    if kind != "nf4":
        assert ours[-1].tolist() == array.tolist()
    found = compare(model, OpenVINOSide(path, {0: array}), {0: array}, Tolerance(0, 0), every=True)
    assert (found.differs, found.reason) == (False, "")
    measured = benchmark(model, {0: array}, openvino=OpenVINOModel(path), niter=1)
    assert measured["largest_difference"] == 0


@pytest.mark.parametrize("kind", ["u1", "u3", "u6"])
def test_what_openvino_does_not_take(tmp_path: Path, kind: str) -> None:
    need("openvino")
    path, array = ir(tmp_path / "net.xml", kind), np.array([1, 0, 0, 1, 1], np.uint8)
    with pytest.raises(Exception, match="OpenVINO cannot run "):
        OpenVINOSide(path, {0: array}).outputs()
    with pytest.raises(Exception, match="OpenVINO cannot run "):
        benchmark(load(path), {0: array}, openvino=OpenVINOModel(path), niter=1)


def test_values_are_rounded_as_in_irrun(tmp_path: Path) -> None:
    """A caller passes f32 for bf16: ties go to the even number on both sides."""
    need("openvino")
    path, array = ir(tmp_path / "net.xml", "bf16"), np.array([1.00390625, 1.01171875, 3.1, 1e-3, -7.7], np.float32)
    ours, theirs = answer(load(path), array), OpenVINOSide(path, {0: array}).outputs()
    assert [ours[0].tolist(), ours[1].tolist()] == [theirs[0].tolist(), theirs[1].tolist()]
    assert ours[1][:2].tolist() == [1.0, 1.015625]


@pytest.mark.parametrize("shape", [(), (0,), (1, 0, 3)])
@pytest.mark.parametrize("kind", ["f32", "bf16", "u4", "string"])
def test_shapes_without_axes_and_without_elements(tmp_path: Path, kind: str, shape: tuple[int, ...]) -> None:
    need("openvino")
    net = Net()
    net.result(net.parameter("x", ",".join(map(str, shape)), kind))
    array = np.full(shape, VALUES[kind][0], BY_NAME[kind].external)
    (theirs,) = OpenVINOSide(net.save(tmp_path / "net.xml"), {0: array}).outputs()
    assert (theirs.shape, theirs.dtype, theirs.tolist()) == (shape, array.dtype, array.tolist())


ONNX: Final = {
    "f64": "DOUBLE",
    "f32": "FLOAT",
    "f16": "FLOAT16",
    "bf16": "BFLOAT16",
    "f8e4m3": "FLOAT8E4M3FN",
    "f8e5m2": "FLOAT8E5M2",
    "boolean": "BOOL",
    "string": "STRING",
    **{name: f"{'U' if name[0] == 'u' else ''}INT{name[1:]}" for name in VALUES if name[0] in "iu" and name != "u2"},
}


def onnx_model(path: Path, kind: str) -> Path:
    """Write x reshaped to a row, and x; types that ONNX Runtime does not move are converted to f32 and back."""
    onnx = need("onnx")
    make, code = onnx.helper, getattr(onnx.TensorProto, ONNX[kind])
    nodes = [make.make_node("Unsqueeze", ["x", "zero"], ["r"]), make.make_node("Identity", ["x"], ["y"])]
    if kind in ("i4", "u4", "f8e4m3", "f8e5m2"):
        casts = ("x", "wide", 1), ("row", "r", code), ("wide", "y", code)
        nodes = [make.make_node("Cast", [a], [b], to=to) for a, b, to in casts]
        nodes.insert(1, make.make_node("Unsqueeze", ["wide", "zero"], ["row"]))
    zero = [onnx.numpy_helper.from_array(np.array([0], np.int64), "zero")]
    ends = [make.make_tensor_value_info(name, code, shape) for name, shape in (("x", [5]), ("r", [1, 5]), ("y", [5]))]
    graph = make.make_graph(nodes, "net", ends[:1], ends[1:], zero)
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 21)], ir_version=10), str(path))
    return path


@pytest.mark.parametrize("kind", ONNX)
def test_onnx_runtime(tmp_path: Path, kind: str) -> None:
    need("onnxruntime")
    array = given(kind)
    side = OnnxSide(onnx_model(tmp_path / "net.onnx", kind))
    side.feed({("x",): array})
    row, same = side.outputs()
    assert (row.shape, row.dtype, same.dtype) == ((1, 5), array.dtype, array.dtype)
    assert row[0].tolist() == same.tolist() == array.tolist()


def test_an_input_of_another_type_in_onnx_runtime(tmp_path: Path) -> None:
    ort = need("onnxruntime")
    session = ort.InferenceSession(str(onnx_model(tmp_path / "net.onnx", "f16")), providers=["CPUExecutionProvider"])
    (found,) = run_onnx(ort, session, ["y"], {"x": np.array([1.0001, 2, 3, 4, 1e6], np.float32)})
    assert found.tolist() == [1, 2, 3, 4, np.inf]


def test_a_converted_array_lives_as_long_as_the_request(tmp_path: Path) -> None:
    openvino: Any = need("openvino")
    request = openvino.Core().compile_model(ir(tmp_path / "net.xml", "f16")).create_infer_request()
    request.set_input_tensor(0, to_openvino(openvino, np.arange(5, dtype=np.float32), openvino.Type.f16))
    others = [np.full(5, 7, np.float16) for _ in range(100)]
    request.infer()
    assert request.get_output_tensor(1).data.tolist() == [0, 1, 2, 3, 4]
    assert len(others) == 100
