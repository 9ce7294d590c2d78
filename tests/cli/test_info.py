"""irrun info: the summary of a model and its FLOPs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.document.writer import WrittenBody
from irrun.model import load
from irrun.model.flops import flops
from irrun.ops.registry import LATEST
from irrun.ops.releases import FIRST, number
from tests.cli.conftest import Run
from tests.linter.snippets import example
from tests.nets import Net

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def counted(net: Net, path: Path) -> dict[str, int]:
    model = load(net.save(path))
    return dict(flops(model.bound.graph, model.facts).by_type)


def test_digits(run: Run) -> None:
    result = run("info", DIGITS)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:5] == [
        "model       digits, IR version 11",
        "inputs      image  f32[?,1,8,8]",
        "outputs     scores  f32[?,10]",
        "dynamic     image[0]: ?",
        "layers      33",
    ]
    assert "            12 Const opset1" in lines
    assert "             1 SoftMax opset8" in lines
    assert lines[-11:] == [
        "constants   12, 89.7 KiB (91,836 bytes)",
        "parameters  22,954",
        "opsets      opset1, opset8, opset14",
        'OpenVINO    2024.1 or later, for MaxPool of opset14 in "pool1"',
        "rt_info     OpenVINO Runtime: 2026.4.1-22982-e213a147257-releases/2026/4",
        "            Runtime_version: 2026.4.1-22982-e213a147257-releases/2026/4",
        "FLOPs       921 k (920,832), with dynamic dims taken as 1",
        "            Convolution 903,168",
        "            MatMul 17,664",
        "MACs        460 k (460,416)",
        "uncounted   Add 5, ReLU 4, AvgPool 1, Divide 1, MaxPool 1, SoftMax 1",
    ]


def test_json(run: Run, add: Path) -> None:
    Path(add).with_suffix(".bin").unlink()
    record = json.loads(run("info", add, "--output-format", "json").stdout)
    assert record == {
        "name": "add",
        "ir_version": "11",
        "inputs": [
            {"name": "a:0", "names": ["a:0", "a"], "type": "i64", "declared_type": "i64", "shape": "[2]"},
            {"name": "b:0", "names": ["b:0", "b"], "type": "i64", "declared_type": "i64", "shape": "[2]"},
        ],
        "outputs": [
            {"name": "sum", "names": ["sum", "Result_3"], "type": "i64", "declared_type": "i64", "shape": "[2]"},
            {
                "name": "dir/small",
                "names": ["dir/small", "Result_5"],
                "type": "i64",
                "declared_type": "i64",
                "shape": "[2]",
            },
        ],
        "layers": 6,
        "operations": [
            {"type": "Parameter", "version": "opset1", "count": 2},
            {"type": "Result", "version": "opset1", "count": 2},
            {"type": "Add", "version": "opset1", "count": 1},
            {"type": "Clamp", "version": "opset1", "count": 1},
        ],
        "unknown": [],
        "extensions": [],
        "libraries": {},
        "constants": 0,
        "parameters": 0,
        "constant_bytes": 0,
        "opsets": ["opset1"],
        "openvino": "2022.1",
        "openvino_for": "IR version 11",
        "openvino_layer": "",
        "dynamic": [],
        "layouts": {},
        "rt_info": {"model": {}, "layers": {}},
        "means": {},
        "flops": {"total": 0, "macs": 0, "by_type": {}, "uncounted": {}, "assumed": False, "unknown": []},
    }


def test_version_10_is_read_in_other_types(run: Run, tmp_path: Path) -> None:
    net = Net("old")
    x = net.parameter("x", "1,3,2,2", "f16")
    net.result(net.layer("Greater", [x, x], name="y"))
    mean = "".join(f'<channel id="{index}"><mean value="{index / 4}"/></channel>' for index in range(3))
    path = net.save(tmp_path / "old.xml")
    text = path.read_text().replace('version="11"', 'version="10"')
    path.write_text(text.replace("</edges>", f'</edges><pre-process reference-layer-name="x">{mean}</pre-process>'))
    assert run("info", path).stdout.splitlines()[:4] == [
        "model       old, IR version 10",
        "inputs      x  f32[1,3,2,2]  (the file declares f16; as IR version 10 it is read as f32)",
        "outputs     y  f32[1,3,2,2]  (the file declares boolean; as IR version 10 it is read as f32)",
        "mean        x  0, 0.25, 0.5 is subtracted (<pre-process>)",
    ]
    record = json.loads(run("info", path, "--output-format", "json").stdout)
    assert record["inputs"] == [
        {"name": "x", "names": ["x"], "type": "f32", "declared_type": "f16", "shape": "[1,3,2,2]"}
    ]
    assert (record["outputs"][0]["type"], record["outputs"][0]["declared_type"]) == ("f32", "boolean")
    assert record["means"] == {"x": [0.0, 0.25, 0.5]}


def test_a_model_with_faults_is_described_as_far_as_it_goes(run: Run, tmp_path: Path) -> None:
    net = Net("odd")
    x = net.parameter("x", "...")
    net.result(net.layer("Frob", [x], "...", 8))
    net.result(net.layer("Frob", [x], "...", "opst1"))
    path = net.save(tmp_path / "odd.xml")
    result = run("info", path)
    assert result.exit_code == 0
    assert result.stderr == f"warning: 2 findings in {path}; irrun lint {path} shows them\n"
    lines = result.stdout.splitlines()
    assert "dynamic     x: the rank" in lines
    assert "            1 Frob opst1  (no such operation)" in lines
    assert "opsets      opst1, opset1, opset8" in lines
    assert "FLOPs       0: no layer whose multiply-adds are counted" in lines


def test_operations_of_libraries(run: Run, tmp_path: Path) -> None:
    tokenizer = example("sound_files", "Extension tokenizer").written(tmp_path)
    result = run("info", tokenizer)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert "            1 RegexSplit extension  (openvino_tokenizers)" in lines
    place = next(
        number for number, line in enumerate(lines) if line.startswith("OpenVINO    2024.4 or later, for String")
    )
    assert lines[place + 1] == "            with the library openvino_tokenizers, written with 2026.4.1.0"
    record = json.loads(run("info", tokenizer, "--output-format", "json").stdout)
    assert record["extensions"][0] == {
        "type": "RegexSplit",
        "version": "extension",
        "count": 1,
        "library": "openvino_tokenizers",
        "internal_to": None,
    }
    assert (record["libraries"], record["unknown"]) == ({"openvino_tokenizers": "2026.4.1.0"}, [])
    net = Net()
    x = net.parameter("x", "2")
    net.result(net.layer("Blur", [net.layer("Edge", [x], "2", "extension")], "2", "extension"))
    lines = run("info", net.save(tmp_path / "custom.xml")).stdout.splitlines()
    assert "            1 Blur extension  (a library)" in lines
    assert "            with a library that has Edge, Blur: Core.add_extension" in lines


def test_operations_that_openvino_keeps_to_itself(run: Run, tmp_path: Path) -> None:
    path = example("runtime_only_operation", "Runtime only domain").written(tmp_path)
    lines = run("info", path).stdout.splitlines()
    assert "            1 FullyConnected cpu_plugin_opset  (the CPU plugin)" in lines
    at = lines.index("OpenVINO    none: ReLU lives only inside a model that is being compiled")
    assert lines[at + 1] == "            none: FullyConnected lives only inside the CPU plugin"


def test_what_cannot_be_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "page.xml"
    path.write_text("<html></html>")
    result = run("info", path)
    assert result.exit_code == 2
    assert result.stderr.startswith(
        f"{path}:1:1: error: not an OpenVINO IR: the root element is <html>, expected <net> [IR102]\n"
    )


def test_parameters_and_bytes(run: Run, tmp_path: Path) -> None:
    net = Net()
    for array, type in [
        (np.zeros((3, 4), np.float32), "f32"),
        (np.zeros(5, np.int8), "i8"),
        (np.ones(6, np.int64), "i64"),
        (np.zeros(1, np.float32), "f32"),
    ]:
        net.result(net.constant(array, type))
    net.constant(np.zeros((3, 4)))
    record = json.loads(run("info", net.save(tmp_path / "c.xml"), "--output-format", "json").stdout)
    assert record["constants"] == 5
    assert record["parameters"] == 12 + 5 + 12
    assert record["constant_bytes"] == 48 + 5 + 48 + 4


def test_every_opset_has_a_release() -> None:
    assert sorted(FIRST) == list(range(1, LATEST + 1))
    releases = [tuple(map(int, FIRST[opset].split("."))) for opset in sorted(FIRST)]
    assert releases == sorted(releases)
    assert [number(name) for name in ("opset1", "opset17", "ie_internal_opset")] == [1, 17, None]


# -- FLOPs: two for each multiply-add, compared with an explicit loop


@pytest.mark.parametrize(
    ("left", "right", "attributes", "expected"),
    [
        ("2,3", "3,5", {}, 2 * 2 * 3 * 5),
        ("7,2,3", "7,3,5", {}, 7 * 2 * 2 * 3 * 5),
        ("3,2", "5,3", {"transpose_a": "true", "transpose_b": "true"}, 2 * 2 * 3 * 5),
        ("3", "3,5", {}, 2 * 3 * 5),
        ("2,3", "3", {}, 2 * 2 * 3),
        ("3", "3", {}, 2 * 3),
    ],
)
def test_matmul(tmp_path: Path, left: str, right: str, attributes: dict[str, str], expected: int) -> None:
    net = Net()
    a, b = net.parameter("a", left), net.parameter("b", right)
    data = {"transpose_a": "false", "transpose_b": "false", **attributes}
    net.result(net.layer("MatMul", [a, b], **data))
    assert counted(net, tmp_path / "m.xml") == {"MatMul": expected}


_WINDOW = {"strides": "2,2", "pads_begin": "1,1", "pads_end": "1,1", "dilations": "1,1", "auto_pad": "explicit"}


@pytest.mark.parametrize(
    ("kind", "data", "kernel", "multiply_adds"),
    [
        ("Convolution", "2,4,8,8", "6,4,3,3", 2 * 6 * 4 * 4 * 4 * 3 * 3),
        ("GroupConvolution", "2,4,8,8", "2,3,2,3,3", 2 * 6 * 4 * 4 * 2 * 3 * 3),
        ("ConvolutionBackpropData", "2,4,8,8", "4,6,3,3", 2 * 4 * 8 * 8 * 6 * 3 * 3),
        ("GroupConvolutionBackpropData", "2,4,8,8", "2,2,3,3,3", 2 * 4 * 8 * 8 * 3 * 3 * 3),
    ],
)
def test_convolutions(tmp_path: Path, kind: str, data: str, kernel: str, multiply_adds: int) -> None:
    net = Net()
    inputs = [net.parameter("x", data), net.parameter("w", kernel)]
    net.result(net.layer(kind, inputs, **_WINDOW))
    assert counted(net, tmp_path / "c.xml") == {kind: 2 * multiply_adds}


def test_einsum(tmp_path: Path) -> None:
    net = Net()
    a, b = net.parameter("a", "7,2,3"), net.parameter("b", "7,3,5")
    net.result(net.layer("Einsum", [a, b], opset=7, equation="bij,bjk->bik"))
    assert counted(net, tmp_path / "e.xml") == {"Einsum": 2 * 7 * 2 * 3 * 5}


def test_recurrent_sequence(tmp_path: Path) -> None:
    batch, steps, size, hidden = 2, 5, 3, 4
    net = Net()
    shapes = {
        "x": (batch, steps, size),
        "h": (batch, 2, hidden),
        "c": (batch, 2, hidden),
        "w": (2, 4 * hidden, size),
        "r": (2, 4 * hidden, hidden),
        "b": (2, 4 * hidden),
    }
    x, h, c, w, r, b = (net.parameter(name, ",".join(map(str, shape))) for name, shape in shapes.items())
    lengths = net.constant(np.full(batch, steps, np.int64))
    data = {"hidden_size": str(hidden), "direction": "bidirectional"}
    net.result(net.layer("LSTMSequence", [x, h, c, lengths, w, r, b], opset=5, **data))
    gates = 2 * 4 * hidden
    expected = {"LSTMSequence": 2 * batch * steps * gates * (size + hidden)}
    assert counted(net, tmp_path / "lstm.xml") == expected


def test_attention(tmp_path: Path) -> None:
    net = Net()
    q, k, v = (net.parameter(name, shape) for name, shape in (("q", "2,6,4"), ("k", "2,5,4"), ("v", "2,5,3")))
    net.result(net.layer("ScaledDotProductAttention", [q, k, v], opset=13, causal=False))
    expected = 2 * 2 * 6 * 5 * (4 + 3)
    assert counted(net, tmp_path / "a.xml") == {"ScaledDotProductAttention": expected}


def test_dynamic_dims_are_taken_as_one_and_it_is_said(run: Run, tmp_path: Path) -> None:
    net = Net()
    a, b = net.parameter("a", "?,3"), net.parameter("b", "3,5")
    data = {"transpose_a": "false", "transpose_b": "false"}
    net.result(net.layer("MatMul", [a, b], **data))
    path = net.save(tmp_path / "m.xml")
    assert "FLOPs       30, with dynamic dims taken as 1" in run("info", path).stdout.splitlines()


def test_layers_of_unknown_rank_are_named(run: Run, tmp_path: Path) -> None:
    net = Net()
    a, b = net.parameter("a", "..."), net.parameter("b", "3,5")
    net.result(net.layer("MatMul", [a, b], name="product", transpose_a=False, transpose_b=False))
    path = net.save(tmp_path / "m.xml")
    assert (
        'FLOPs       0, without "product", of whose shapes too little is known' in run("info", path).stdout.splitlines()
    )


def test_operations_that_are_not_counted_are_named(run: Run, tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "2,8,2")
    y = net.layer("DFT", [x, net.constant([1])], opset=7)
    net.result(net.layer("ReLU", [net.layer("ReLU", [y])]), net.layer("ShapeOf", [x], opset=3, output_type="i64"))
    path = net.save(tmp_path / "dft.xml")
    assert run("info", path).stdout.splitlines()[-2:] == [
        "FLOPs       0: no layer whose multiply-adds are counted",
        "uncounted   ReLU 2, DFT 1",
    ]
    assert json.loads(run("info", path, "--output-format", "json").stdout)["flops"]["uncounted"] == {
        "ReLU": 2,
        "DFT": 1,
    }


def test_grouped_products(tmp_path: Path) -> None:
    net = Net()
    x, w = net.parameter("x", "6,4"), net.parameter("w", "3,5,4")
    net.result(net.layer("GroupedMatMul", [x, w, net.constant([2, 4, 6])], opset=17))
    assert counted(net, tmp_path / "g.xml") == {"GroupedMatMul": 2 * 6 * 4 * 5}


def looped(net: Net, body: Net, trips: str) -> Net:
    """Return a TensorIterator that slices x f32[trips,4] along axis 0 and concatenates the results of its body."""
    cut = {"axis": 0, "stride": 1, "part_size": 1, "start": 0, "end": -1}
    written = WrittenBody(
        body.ir,
        [{"external_port_id": 0, "internal_layer_id": 0, **cut}],
        [{"external_port_id": 1, "internal_layer_id": body.ir.last, **cut}],
    )
    x = net.parameter("x", f"{trips},4")
    net.result(net.layer("TensorIterator", [x], f"{trips},6", name="loop", bodies={"body": written}))
    return net


@pytest.mark.parametrize(("trips", "runs"), [("9", 9), ("?", 1)])
def test_a_body_counts_as_often_as_it_runs(run: Run, tmp_path: Path, trips: str, runs: int) -> None:
    net = Net()
    body = net.body()
    x, w = body.parameter("slice", "1,4"), body.constant(np.zeros((4, 6), np.float32))
    body.result(body.layer("MatMul", [x, w], transpose_a=False, transpose_b=False))
    path = looped(net, body, trips).save(tmp_path / "loop.xml")
    record: dict[str, Any] = json.loads(run("info", path, "--output-format", "json").stdout)
    assert record["flops"] == {
        "total": runs * 2 * 4 * 6,
        "macs": runs * 4 * 6,
        "by_type": {"MatMul": runs * 2 * 4 * 6},
        "uncounted": {},
        "assumed": trips == "?",
        "unknown": [],
    }
    assert {"type": "MatMul", "version": "opset1", "count": 1} in record["operations"]
    assert record["parameters"] == 24
