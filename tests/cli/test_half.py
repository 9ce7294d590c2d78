"""Numbers that are lost in f16: what the commands say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cases import f32
from tests.cli.conftest import Run
from tests.debugging.nets import overflow

X = f32([[0.5, 2, -3, 0.25]])
HALF = ["--precision", "f16"]


def test_the_command_says_that_outputs_are_lost(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    model = overflow(tmp_path / "net.xml")
    lines = run("debug", "precision", model, "--precision", "f16", "-i", tmp_path / "x.npy").stdout.splitlines()
    assert lines[-2] == "rounded to f16, outputs are lost: numbers become infinite or NaN"
    assert lines[-1].startswith('keep in f32: "square"; the error is then 0.000')
    assert lines[-1].endswith("which reaches 0.01")


@pytest.mark.parametrize(
    ("type", "options"), [("f32", ["--precision", "f16"]), ("f16", []), ("f16", ["--precision", "f16"])]
)
def test_a_run_stops_at_an_overflow(run: Run, tmp_path: Path, type: str, options: list[str]) -> None:
    np.save(tmp_path / "x.npy", X)
    model = overflow(tmp_path / "net.xml", type)
    command = ("run", model, "-i", tmp_path / "x.npy", *options, "--dump", tmp_path / "d", "--stop-at", "nan,inf")
    result = run(*command)
    assert result.exit_code == 1, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith('stopped at Multiply "square": it makes Inf (2 elements) out of inputs without')
    assert lines[1] == "first at [0,1]: input 0 is 600, input 1 is 600"
    assert (tmp_path / "d" / "stopped" / "layer.xml").exists()


@pytest.mark.parametrize(("type", "options"), [("f32", HALF), ("f16", [])])
def test_check_warns_of_an_overflow(run: Run, tmp_path: Path, type: str, options: list[str]) -> None:
    np.save(tmp_path / "x.npy", X)
    command = ("run", overflow(tmp_path / "net.xml", type), "-i", tmp_path / "x.npy", "--check", *options)
    result = run(*command)
    assert result.exit_code == 0
    warning = 'rounded to f16 at every layer, as written, Multiply "square" makes Inf (2 elements); first at [0,1]'
    assert warning in result.stderr
    error = json.loads(run(*command, "--json").stdout)["error"]
    assert (error["lost"]["layer"], error["lost"]["kind"]) == ("square", "inf")
    small = tmp_path / "small.npy"
    np.save(small, X / 10)
    record = json.loads(run(*command[:3], small, *command[4:], "--json").stdout)["error"]
    assert record["lost"] is None
    assert record["outputs"][0]["max"] < 0.01
