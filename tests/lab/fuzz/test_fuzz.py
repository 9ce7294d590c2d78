"""A slice of each campaign, every input that once failed, and the tools of the campaigns themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import irrun.model
from irrun.diagnostics import IRError
from tests.lab.fuzz.campaign import failure
from tests.lab.fuzz.corpus import REGRESSIONS, files, seeds
from tests.lab.fuzz.mutate import Mutator
from tests.lab.fuzz.targets import TARGETS, packed, parts
from tests.plugins.tiers import Campaign, Tier

INPUTS = {"reader": 300, "weights": 100, "lint": 60, "fix": 6, "infer": 60, "run": 60, "shapes": 90}
"""Mutants of one draw."""


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="a slow input is ended by a signal")
@pytest.mark.parametrize("name", TARGETS)
def test_mutants(name: str, campaign: Campaign) -> None:
    for seed in campaign.draws(1, 10):
        mutator = Mutator(seeds(), seed)
        for _ in range(INPUTS[name]):
            data = mutator.mutant()
            assert failure(TARGETS[name], data) is None, (seed, data)


@pytest.mark.parametrize("name", TARGETS)
def test_what_once_failed(name: str, tier: Tier, subtests: pytest.Subtests) -> None:
    paths = tier.part(files(REGRESSIONS), 12)
    assert paths
    for path in paths:
        with subtests.test(path=path.stem):
            assert failure(TARGETS[name], packed(path)) is None


@pytest.mark.parametrize("name", TARGETS)
def test_smallest_inputs(name: str, subtests: pytest.Subtests) -> None:
    for data in (b"", b"\0", b"\0\0", b"<", b"<net>", b"<net/>\0\x93NUMPY", b"\xff\xfe<\0n\0"):
        with subtests.test(data=data):
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


@pytest.mark.rest
def test_the_command_runs_a_campaign(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.lab.fuzz",
        "reader",
        "--seconds",
        "0.5",
        "--folder",
        str(tmp_path / "crashes"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[3], check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"reader: \d+ inputs, \d+ MiB, 0 kinds of failure\n", done.stdout)
    assert list((tmp_path / "crashes").iterdir()) == []
