"""irrun info --graph and --plan: what runs of a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from irrun.runtime.tiers import has_kernels
from tests.cli.conftest import Run
from tests.nets import Net
from tests.reporting.plans import nets
from tests.reporting.plans.texts import FOLDER

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"

needs_kernels = pytest.mark.skipif(not has_kernels(), reason="compiled kernels are those of irrun-kernels")


@pytest.fixture
def convolution(tmp_path: Path) -> Path:
    return nets.NETS["convolution"](tmp_path)[0]


def test_the_graph(run: Run, convolution: Path) -> None:
    result = run("info", convolution, "--graph")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (FOLDER / "convolution.graph").read_text(encoding="utf-8")


def test_the_graph_as_written(run: Run, convolution: Path) -> None:
    lines = run("info", convolution, "--graph", "--as-written").stdout.splitlines()
    assert lines[0] == "4 nodes, 0 made by the optimiser"
    assert "%8 f32[1,20,12,12] = ReLU(%7)  # ReLU_8" in lines


@needs_kernels
def test_the_program(run: Run, convolution: Path) -> None:
    lines = run("info", convolution, "--plan").stdout.splitlines()
    expected = (FOLDER / "convolution.plan").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("compiled kernels, ")
    assert max(map(len, lines)) <= 100
    (product,) = (line for line in lines if "= product(" in line)
    assert product in expected


@needs_kernels
def test_json(run: Run, convolution: Path) -> None:
    record = json.loads(run("info", convolution, "--graph", "--plan", "--json").stdout)
    assert [node["type"] for node in record["graph"]["nodes"]] == ["FusedConvolution", "FusedMaxPool"]
    assert record["graph"]["nodes"][0]["replaces"] == ["Convolution_2", "BatchNormInference_7", "ReLU_8"]
    assert record["plan"]["calls"] == {"move": 5, "product": 1, "windows": 1}
    assert (record["plan"]["interpreted"], record["plan"]["guards"]) == ({}, [])
    pooling = record["plan"]["steps"][-1]["items"][0]
    assert (pooling["kernel"], pooling["read_bytes"], pooling["written_bytes"]) == ("windows", 11648, 2880)
    assert pooling["writes"][0]["type"] == "f32[1,20,6,6]{2,3,1}"


@needs_kernels
def test_open_sizes_have_names(run: Run) -> None:
    lines = run("info", DIGITS, "--plan").stdout.splitlines()
    assert "  image = %0 f32[n0,1,8,8]" in lines
    assert "  n0 = sizes of %0, axes 0" in lines
    assert "  n0 >= 2" in lines


@needs_kernels
def test_a_shape_fixes_them(run: Run) -> None:
    text = run("info", DIGITS, "--plan", "--shape", "image[2,1,8,8]").stdout
    assert "n0" not in text
    assert "image = %0 f32[2,1,8,8] @" in text


def test_the_plan_of_numpy(run: Run, convolution: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRRUN_TIER", "numpy")
    assert run("info", convolution, "--plan").stdout.splitlines() == [
        "NumPy; TIER is numpy",
        "",
        "inputs",
        "  image = %1 f32[1,3,12,12]",
        "",
        "steps",
        "   0  %2 f32[1,20,12,12] = FusedConvolution(%1); frees %1  # Convolution_2, BatchNormInference_7,",
        "          ReLU_8",
        "   1  %3 f32[1,20,6,6] = FusedMaxPool(%2); frees %2  # MaxPool_9",
        "",
        "results",
        "  MaxPool_9 = %3",
        "",
        "summary",
        "  2 steps, 3 slots, 0 constants, 0 B",
    ]


def test_a_time_limit_keeps_a_plan_on_numpy(run: Run, convolution: Path) -> None:
    first = run("info", convolution, "--plan", "--timeout", "5").stdout.splitlines()[0]
    assert not has_kernels() or first == "NumPy; there is a time limit, which is checked before each layer"


def test_a_plan_needs_weights(run: Run, convolution: Path) -> None:
    convolution.with_suffix(".bin").unlink()
    result = run("info", convolution, "--plan")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no weights file" in result.stderr


def test_layers_are_listed_alone(run: Run, convolution: Path) -> None:
    result = run("info", convolution, "--plan", "--layers")
    assert result.exit_code == 2
    assert "--layers cannot be combined with --graph or --plan" in result.stderr


@needs_kernels
def test_a_plan_for_sizes_that_were_found(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("MatMul", [net.parameter("x", "?,?"), net.normal(96, 80)], "?,80"))
    result = run("info", net.save(tmp_path / "net.xml"), "--plan")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == "NumPy; compiled kernels compute too few of its steps"


@needs_kernels
@pytest.mark.parametrize("shape", ["?", "..."])
def test_a_plan_with_open_sizes_names_the_input_to_give(run: Run, tmp_path: Path, shape: str) -> None:
    net = Net()
    x = net.parameter("x", shape)
    net.result(net.layer("Reshape", [x, net.constant([3, -1])], "3,?", special_zero=True))
    net.result(net.layer("Add", [x, net.normal(8)], "8" if shape == "?" else shape))
    result = run("info", net.save(tmp_path / "net.xml"), "--plan")
    assert (result.exit_code, result.stderr) == (0, "")
    first = "NumPy; no sizes of the dynamic inputs were found that fit together; give them: --shape 'x[...]'"
    lines = result.stdout.splitlines()
    assert lines[0] == first
    assert lines[3] == f"  x = %1 f32[{shape}]"
