"""irrun profile: the list of layers and types, their arithmetic and bytes, and the trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.cli.measuring import short_sum
from tests.cli.conftest import Run
from tests.engines import need
from tests.loops import loop_model
from tests.nets import Net

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """a f32[4,8] x weights f32[8,16] -> "product"."""
    net = Net("product")
    weights = net.constant(np.ones((8, 16), np.float32), name="weights")
    data = {"transpose_a": "false", "transpose_b": "false"}
    net.result(net.layer("MatMul", [net.parameter("a", "4,8"), weights], name="product", **data))
    return net.save(tmp_path / "product.xml")


def profiled(run: Run, *arguments: Any) -> dict[str, Any]:
    result = run("profile", *arguments, "--niter", "3", "--format", "json")
    assert result.exit_code == 0, result.stderr
    record: dict[str, Any] = json.loads(result.stdout)
    return record


def test_layer(run: Run, product: Path) -> None:
    record = profiled(run, product, "--as-written")
    assert (record["model"], record["runs"]) == ("product", 3)
    (layer,) = record["layers"]
    assert (layer["name"], layer["type"], layer["calls"]) == ("product", "MatMul", 1)
    assert layer["flops"] == 2 * 4 * 8 * 16
    assert layer["bytes"] == 4 * (4 * 8 + 8 * 16 + 4 * 16)
    assert (layer["inputs"], layer["outputs"]) == ([[4, 8], [8, 16]], [[4, 16]])
    assert layer["gflops_per_s"] == pytest.approx(layer["flops"] / layer["ms"] / 1e6)
    assert layer["share"] == 1
    (type,) = record["types"]
    assert type == {
        "type": "MatMul",
        "layers": 1,
        **{key: layer[key] for key in ("ms", "share", "flops", "gflops_per_s", "bytes")},
    }


def test_fused_layer(run: Run, product: Path) -> None:
    """A fused layer counts as all layers that it replaces, including its weights."""
    layers = profiled(run, product)["layers"]
    assert sum(layer["flops"] or 0 for layer in layers) == 2 * 4 * 8 * 16
    assert sum(layer["bytes"] for layer in layers) == 4 * (4 * 8 + 8 * 16 + 4 * 16)


def test_layers_that_a_fused_one_stands_for(run: Run) -> None:
    fused = {layer["name"]: layer["stands_for"] for layer in profiled(run, DIGITS)["layers"]}
    assert fused["relu1"] == ["conv1", "conv1_add", "relu1"]
    assert fused["softmax"] == ["softmax"]
    written = profiled(run, DIGITS, "--as-written")["layers"]
    assert [layer["stands_for"] for layer in written] == [[layer["name"]] for layer in written]


def test_a_fused_step_has_one_name(run: Run, tmp_path: Path) -> None:
    """It is that of the last layer, whose output is seen."""
    image = ("-i", f"image={DIGITS.with_name('seven.npy')}")
    names = [layer["name"] for layer in profiled(run, DIGITS)["layers"]]
    record = json.loads(run("run", DIGITS, *image, "--stats", "--dump", tmp_path / "d", "--json").stdout)
    assert [item["layer"] for item in record["layers"]] == names
    dumped = [json.loads(line) for line in (tmp_path / "d" / "index.jsonl").read_text().splitlines()]
    assert [item["layer"] for item in dumped] == names
    ranked = json.loads(run("debug", "precision", DIGITS, "--precision", "bf16", *image, "--json").stdout)["layers"]
    assert {item["layer"] for item in ranked} <= set(names)
    checked = json.loads(run("run", DIGITS, *image, "--precision", "bf16", "--check", "--json").stdout)["error"]
    assert {item["layer"] for item in checked["layers"]} <= set(names)


def test_types_are_the_sums_of_layers(run: Run) -> None:
    record = profiled(run, DIGITS)
    layers, types = record["layers"], record["types"]
    assert sum(layer["share"] for layer in layers) == pytest.approx(1)
    assert sum(type["share"] for type in types) == pytest.approx(1)
    assert sum(type["layers"] for type in types) == len(layers)
    assert record["layers_ms"] == pytest.approx(sum(layer["ms"] for layer in layers))
    assert [type["ms"] for type in types] == sorted((type["ms"] for type in types), reverse=True)
    assert record["total_ms"] > 0
    assert record["between_ms"] > 0
    assert record["observed_ms"] == pytest.approx(record["layers_ms"] + record["between_ms"])


def test_layers_of_a_body(run: Run, tmp_path: Path) -> None:
    record = profiled(run, loop_model(tmp_path, 3, 1e9))
    calls = {layer["type"]: layer["calls"] for layer in record["layers"]}
    assert (calls["Loop"], calls["Less"]) == (1, 3)


def test_text(run: Run, product: Path) -> None:
    result = run("profile", product, "--threads", "1", "--niter", "2", "--as-written")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    facts = [line.split(maxsplit=1) for line in lines[: lines.index("")]]
    assert facts[:2] == [["model", "product, 1 executed layer"], ["input", "a  f32[4,8], random"]]
    assert facts[2][1].endswith(", 1 thread")
    assert facts[3][0] == "tier"
    assert facts[-2][1].endswith("the median of 2 runs")
    lines = lines[lines.index("") + 1 :]
    assert lines[0].split() == ["TYPE", "LAYERS", "MS", "SHARE", "GFLOP/S", "MIB"]
    assert lines[1].split()[:2] == ["MatMul", "1"]
    assert lines[3] == "the slowest 1 of 1 layer"
    assert lines[5].split()[:6] == ["product", "MatMul", "[4,8]", "[8,16]", "->", "[4,16]"]
    assert "slowest" not in run("profile", product, "--niter", "1", "--top", "0").stdout


def test_trace(run: Run, product: Path, tmp_path: Path) -> None:
    target = tmp_path / "trace.json"
    result = run("profile", product, "--niter", "1", "--as-written", "--trace", target)
    assert result.stderr == f"note: wrote {target}; open it in ui.perfetto.dev\n"
    _, event = json.loads(target.read_text())["traceEvents"]
    assert (event["name"], event["ph"], event["args"]["op_name"]) == ("product", "X", "MatMul")
    assert event["args"]["shapes"] == {"inputs": [[4, 8], [8, 16]], "outputs": [[4, 16]]}
    assert event["dur"] > 0


def test_trace_into_a_folder_that_is_not_there(run: Run, product: Path, tmp_path: Path) -> None:
    result = run("profile", product, "--trace", tmp_path / "none" / "trace.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {tmp_path}/none/trace.json: there is no folder {tmp_path}/none\n"


def test_beside_openvino(run: Run) -> None:
    need("openvino")
    native = profiled(run, DIGITS, "--compare-openvino")["openvino"]
    types = {row["type"]: row["layers"] for row in native["types"]}
    assert (types["Convolution"], types["MaxPool"]) == (3, 1)
    assert sum(row["share"] for row in native["types"]) == pytest.approx(1)
    lines = run("profile", DIGITS, "--niter", "1", "--compare-openvino").stdout.splitlines()
    assert sum(line.startswith(f"OpenVINO {native['version']}: ") for line in lines) == 1


@pytest.mark.parametrize(
    ("parts", "texts"),
    [
        ([0.2666, 0.0927], ["0.360", "0.267", "0.093"]),
        ([9.994, 0.0071], ["10.00", "9.99", "0.01"]),
        ([1234.6, 0.46], ["1235", "1235", "0"]),
        ([0, 0], ["0.000", "0.000", "0.000"]),
    ],
)
def test_parts_of_a_time_add_up_as_printed(parts: list[float], texts: list[str]) -> None:
    assert short_sum(parts) == texts
