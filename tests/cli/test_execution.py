"""Runs say on which tier they were, why NumPy computed steps, and how many bailed out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.cli.measuring import tier_rows
from irrun.runtime.tiers import has_kernels
from tests.cli.conftest import Run
from tests.nets import Net

needs_kernels = pytest.mark.skipif(not has_kernels(), reason="compiled kernels are those of irrun-kernels")

MET = "a kernel found values that it does not support"


@pytest.fixture
def summed(tmp_path: Path) -> Path:
    """A model with a layer that has no kernel."""
    net = Net()
    data = net.layer("Tanh", [net.parameter("x", "5,40")], "5,40")
    net.result(net.layer("GRN", [data], "5,40", bias=0.1))
    net.save(tmp_path / "net.xml")
    return tmp_path / "net.xml"


@needs_kernels
@pytest.mark.parametrize("command", [("run", "--random"), ("profile", "--niter", "2"), ("bench", "--niter", "2")])
def test_steps_on_numpy_are_counted(
    run: Run, summed: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("IRRUN_TIER", "compiled")
    record = json.loads(run(*command, summed, "--json").stdout)
    record = record.get("execution", record)
    assert (record["tier"], record["steps"], record["interpreted"]) == ("compiled", 2, {"no kernel": 1})
    assert (record["bailouts"], record["runs_by_tier"]["numpy"]) == ({}, {})


@needs_kernels
def test_text(run: Run, summed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRRUN_TIER", "compiled")
    lines = run("run", summed, "--random", "-v").stderr.splitlines()
    assert lines[-2:] == ["  steps     1 of 2 on NumPy: 1 no kernel", "  bailouts  0"]
    assert lines[-3].startswith("  tier      compiled kernels, ")


@needs_kernels
@pytest.mark.bails_out(MET)
def test_bailouts_are_shown(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net()
    same = {"strides": "1,1", "dilations": "1,1", "pads_begin": "1,1", "pads_end": "1,1", "auto_pad": "explicit"}
    weights = net.normal(32, 32, 3, 3)
    attributes: dict[str, Any] = same
    net.result(net.layer("Convolution", [net.parameter("x", "1,32,24,24"), weights], "1,32,24,24", **attributes))
    net.save(tmp_path / "net.xml")
    np.save(tmp_path / "x.npy", np.full((1, 32, 24, 24), np.nan, np.float32))
    monkeypatch.setenv("IRRUN_TIER", "compiled")
    result = run("run", tmp_path / "net.xml", "-i", tmp_path / "x.npy", "-v", "-q", "--json")
    execution = json.loads(result.stdout)["execution"]
    assert (execution["tier"], execution["bailouts"]) == ("numpy", {MET: 1})
    assert execution["runs_by_tier"] == {"compiled": 0, "numpy": {MET: 1}}


def test_rows_of_a_table() -> None:
    record = {
        "tier": "compiled",
        "runs_by_tier": {"compiled": 5, "numpy": {MET: 2}},
        "bailouts": {MET: 2},
        "steps": 12,
        "interpreted": {"text": 1, "no kernel": 3},
    }
    if has_kernels():
        assert tier_rows(record)[1:] == [
            ["", f"2 runs on NumPy: 2 {MET}"],
            ["steps", "4 of 12 on NumPy: 3 no kernel, 1 text"],
            ["bailouts", f"2: 2 {MET}"],
        ]
    runs = {"compiled": 0, "numpy": {"TIER is numpy": 1}}
    only = tier_rows({"tier": "numpy", "runs_by_tier": runs, "bailouts": {}, "steps": 0, "interpreted": {}})
    assert only[0][0] == "tier"
    assert not has_kernels() or only == [["tier", "NumPy: TIER is numpy"]]
