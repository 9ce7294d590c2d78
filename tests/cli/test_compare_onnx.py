"""irrun compare --onnx: an IR beside the ONNX model that it was made from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.cases import f32
from tests.cli.conftest import Run, one_line
from tests.engines import need
from tests.nets import Net

onnx = need("onnx")


def onnx_model(path: Path, bias: float = 1.0) -> Path:
    """Write tanh(x * 2 + bias), whose tensors are called p, s and t."""
    make = onnx.helper
    nodes = [
        make.make_node("Mul", ["x", "two"], ["p"], "product"),
        make.make_node("Add", ["p", "bias"], ["s"], "sum"),
        make.make_node("Tanh", ["s"], ["t"], "tanh"),
    ]
    values = [onnx.numpy_helper.from_array(f32([value]), name) for name, value in (("two", 2), ("bias", bias))]
    ends = [make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 3]) for name in ("x", "t")]
    graph = make.make_graph(nodes, "net", ends[:1], ends[1:], values)
    onnx.save(make.make_model(graph, opset_imports=[make.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def ir(path: Path, *, names: bool = True) -> Path:
    """Write the same as an IR, with the tensor names of the ONNX model or with other names."""
    made = Net()
    x = made.parameter("x", "1,3")
    tensors = ("p", "s", "t") if names else ("a", "b", "c")
    at = made.layer("Multiply", [x, made.constant(f32([2]))], name="m", tensor=tensors[0])
    at = made.layer("Add", [at, made.constant(f32([1]))], name="a", tensor=tensors[1])
    made.result(made.layer("Tanh", [at], name="h", tensor=tensors[2]))
    return made.save(path)


def compared(run: Run, *arguments: Any, status: int) -> dict[str, Any]:
    result = run("compare", *arguments, "--json")
    assert result.exit_code == status, result.stderr
    (pair,) = json.loads(result.stdout)["pairs"]
    return dict(pair)


def test_layers_by_tensor_name(run: Run, tmp_path: Path) -> None:
    need("onnxruntime")
    model, other = ir(tmp_path / "a.xml"), onnx_model(tmp_path / "a.onnx")
    pair = compared(run, model, "--onnx", other, "--all", status=0)
    assert [(item["layer"], item["other"], item["how"]) for item in pair["table"]] == [
        ("m", "p", "name"),
        ("a", "s", "name"),
        ("h", "t", "name"),
    ]


def test_the_first_layer_that_differs(run: Run, tmp_path: Path) -> None:
    need("onnxruntime")
    pair = compared(run, ir(tmp_path / "a.xml"), "--onnx", onnx_model(tmp_path / "b.onnx", 3.0), "--all", status=1)
    assert (pair["layer"]["name"], pair["layer"]["own"]["max"]) == ("a", 2)
    assert [item["errs"] for item in pair["table"]] == [False, True, False]


def test_layers_by_value(run: Run, tmp_path: Path) -> None:
    """Of other names, layers are found as far as they compute the same."""
    need("onnxruntime")
    pair = compared(
        run, ir(tmp_path / "a.xml", names=False), "--onnx", onnx_model(tmp_path / "a.onnx"), "--all", status=0
    )
    assert [(item["layer"], item["other"], item["how"]) for item in pair["table"]] == [
        ("m", "p", "value"),
        ("a", "s", "value"),
        ("h", "t", "value"),
    ]
    pair = compared(
        run, ir(tmp_path / "a.xml", names=False), "--onnx", onnx_model(tmp_path / "b.onnx", 3.0), "--all", status=1
    )
    assert [(item["layer"], item["other"], item["differs"]) for item in pair["table"]] == [("m", "p", False)]
    assert (pair["verdict"], pair["reason"]) == ("unknown", "the layers that differ have no counterpart")


def test_an_input_by_another_name(run: Run, tmp_path: Path) -> None:
    need("onnxruntime")
    np.save(tmp_path / "x.npy", f32([[1, 2, 3]]))
    made = Net()
    made.result(made.layer("Add", [made.parameter("q", "1,3"), made.parameter("r", "1,3")]))
    model = made.save(tmp_path / "two.xml")
    failed = run("compare", model, "--onnx", onnx_model(tmp_path / "a.onnx"))
    assert one_line(failed) == f'error: {tmp_path / "a.onnx"}: the IR has no input "x", its inputs are q, r'


def test_what_is_no_onnx_model(run: Run, tmp_path: Path) -> None:
    need("onnxruntime")
    (tmp_path / "a.onnx").write_text("no model")
    failed = run("compare", ir(tmp_path / "a.xml"), "--onnx", tmp_path / "a.onnx")
    assert one_line(failed).startswith(f"error: {tmp_path / 'a.onnx'} cannot be read as an ONNX model: ")
