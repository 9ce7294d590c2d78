"""A slice of each campaign, every input that once failed, and the tools of the campaigns themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import irrun.model
from irrun.diagnostics import IRError
from tests.fuzz.campaign import failure
from tests.fuzz.corpus import REGRESSIONS, files, seeds
from tests.fuzz.mutate import Mutator
from tests.fuzz.targets import TARGETS, packed, parts

INPUTS = {"reader": 3000, "weights": 1000, "lint": 600, "fix": 60, "infer": 600, "run": 600, "shapes": 900}


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="a slow input is ended by a signal")
@pytest.mark.parametrize("name", TARGETS)
def test_mutants(name: str) -> None:
    mutator = Mutator(seeds(), 7)
    for _ in range(INPUTS[name]):
        data = mutator.mutant()
        assert failure(TARGETS[name], data) is None, data


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("path", files(REGRESSIONS), ids=lambda path: path.stem)
def test_what_once_failed(path: Path, name: str) -> None:
    assert failure(TARGETS[name], packed(path)) is None


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\0", b"<", b"<net>", b"<net/>\0\x93NUMPY", b"\xff\xfe<\0n\0"])
@pytest.mark.parametrize("name", TARGETS)
def test_smallest_inputs(data: bytes, name: str) -> None:
    assert failure(TARGETS[name], data) is None


def test_mutants_are_the_same_for_the_same_number() -> None:
    first, second, other = (Mutator(seeds(), number) for number in (3, 3, 4))
    made = [first.mutant() for _ in range(30)]
    assert made == [second.mutant() for _ in range(30)]
    assert made != [other.mutant() for _ in range(30)]


def test_mutants_reach_beyond_the_reader() -> None:
    assert len(seeds()) > 1000
    mutator = Mutator(seeds(), 5)
    readable = 0
    for _ in range(100):
        try:
            irrun.model.load(*parts(mutator.mutant()))
            readable += 1
        except IRError:
            continue
    assert readable > 40


def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(*_: object, **__: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr("irrun.model.loaded.bind", planted)
    found = failure(TARGETS["infer"], b'<net name="n" version="11"><layers/><edges/></net>')
    assert found is not None
    assert "KeyError: 'planted'" in found[1]


def test_the_command_runs_a_campaign(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", "reader", "--seconds", "0.5", "--folder", str(tmp_path / "crashes")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"reader: \d+ inputs, \d+ MiB, 0 kinds of failure\n", done.stdout)
    assert list((tmp_path / "crashes").iterdir()) == []
