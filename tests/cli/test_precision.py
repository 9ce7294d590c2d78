"""The option --precision of run, bench and profile."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.tensor.element_type import I8
from tests.cli.conftest import Run
from tests.nets import Net

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"
SEVEN = f"image={DIGITS.with_name('seven.npy')}"


@pytest.mark.parametrize("precision", ["bf16", "f16"])
def test_the_error_is_shown(run: Run, precision: str) -> None:
    args = ("run", DIGITS, "-i", SEVEN, "--precision", precision, "--check")
    record = json.loads(run(*args, "--json").stdout)["error"]
    assert record["precision"] == precision
    (output,) = record["outputs"]
    assert output["output"] == "scores"
    assert 0 < output["mean"] < output["max"] < 1e-3
    assert output["cosine"] == pytest.approx(1, abs=1e-6)
    assert {item["layer"] for item in record["layers"]} <= {"relu1", "relu2", "relu3", "relu4", "fc2_add"}
    assert len(record["layers"]) == 3
    least, most = (2.0**-14, 2.0**-11) if precision == "f16" else (2.0**-11, 2.0**-8)
    assert all(least < item["own"] < most for item in record["layers"])
    errors = [item["error"] for item in record["layers"]]
    assert errors == sorted(errors, reverse=True)
    assert 0 < errors[-1] <= errors[0] < most
    lines = run(*args).stdout.splitlines()
    assert lines[3].split() == ["against", "f32", "max", "mean", "cosine"]
    assert lines[6].split("  ")[0] == "rounded by itself"


def test_check_needs_a_precision(run: Run) -> None:
    result = run("run", DIGITS, "-i", SEVEN, "--check")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--check compares a precision with f32; give --precision bf16 or f16" in result.stderr


def test_a_file_as_written_is_not_rounded(run: Run) -> None:
    result = run("run", DIGITS, "-i", SEVEN, "--precision", "bf16", "--as-written")
    assert result.exit_code == 2
    assert "--precision bf16 rounds the operands of products, --as-written does not; leave one out" in result.stderr


def test_bench_compares_precisions(run: Run) -> None:
    args = ("bench", DIGITS, "--niter", "2", "--precision", "bf16", "--precision", "f32")
    record = json.loads(run(*args, "--json").stdout)
    assert (record["precision"], list(record["engines"])) == ("bf16", ["irrun", "irrun f32"])
    lines = run(*args).stdout.splitlines()
    words = [line.split() for line in lines]
    assert ["precision", "bf16,"] in [each[:2] for each in words]
    assert ["irrun", "irrun", "f32", "ratio"] in words


def test_the_configuration_of_the_folder(run: Run, tmp_path: Path) -> None:
    for suffix in (".xml", ".bin"):
        shutil.copy(DIGITS.with_suffix(suffix), tmp_path)
    (tmp_path / "irrun.toml").write_text('precision = "bf16"\n')
    model = tmp_path / "model.xml"
    assert json.loads(run("bench", model, "--niter", "1", "--json").stdout)["precision"] == "bf16"
    assert json.loads(run("bench", model, "--niter", "1", "--as-written", "--json").stdout)["precision"] == "f32"
    profile = json.loads(run("profile", model, "--niter", "1", "--json").stdout)
    assert "FusedRound" in {row["type"] for row in profile["types"]}


def test_activations_of_the_configuration_are_quantised(run: Run, tmp_path: Path) -> None:
    net = Net()
    codes = net.constant(net.random.integers(-128, 128, (64, 64)).astype(np.int8), I8)
    weights = net.layer("Convert", [codes], "64,64", destination_type="f32")
    scaled = net.layer("Multiply", [weights, net.normal(64, 1)], "64,64")
    net.result(net.layer("MatMul", [net.parameter("x", "3,64"), scaled], "3,64", transpose_b=True))
    net.save(tmp_path / "net.xml")
    args = ("run", tmp_path / "net.xml", "--random", "--low-memory", "--json")

    def values(*options: str) -> Any:
        return json.loads(run(*args, *options).stdout)["outputs"]

    exact, rounded = values(), values("--dynamic-quantization", "32")
    assert exact != rounded
    (tmp_path / "irrun.toml").write_text("dynamic-quantization = 32\n")
    assert values() == rounded
    assert values("--dynamic-quantization", "0") == exact
    result = run(*args, "--as-written", "--dynamic-quantization", "32")
    assert result.exit_code == 2
    assert "--dynamic-quantization rounds activations, --as-written does not; leave one out" in result.stderr
