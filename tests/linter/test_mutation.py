"""Random single faults of every kind in sound files: reported at the faulty element, and repaired byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.lab.planting.files import Planted, Sound, harmless, planted
from tests.linter.mutator import KINDS, PORTS, Mutator
from tests.linter.nets import NETS
from tests.linter.sound import FOLDERS, LONG, File, cases, files
from tests.plugins.tiers import Campaign

SEED = 4
ROUNDS = 4
PER_EXAMPLE, PER_LONG, PER_CASE = len(KINDS), len(KINDS) // 2, 4
"""Faults in a file, in each round."""
SHARES = 4
LEAST_FOUND = 0.99


@cache
def counts() -> list[tuple[File, int]]:
    """Return the files, with the number of their faults in a round."""
    examples = [file for group in (*NETS, *FOLDERS) for file in files(group)]
    longer = [(file, PER_LONG if file.name == LONG else PER_EXAMPLE) for file in examples]
    return [*longer, *((file, PER_CASE) for file in cases())]


def faults(folder: Path, share: int, seed: int) -> Iterator[Planted]:
    """Yield faults of one share of the files."""
    for file, count in counts()[share::SHARES]:
        sound = Sound(file.name, file.text, file.weights)
        yield from planted(folder, sound, Mutator(file.text, f"{SEED + seed} {file.name}").faults(count))


@pytest.mark.parametrize("share", range(SHARES))
def test_faults(share: int, tmp_path: Path, campaign: Campaign, subtests: pytest.Subtests) -> None:
    """Each fault is the only finding unless the model stays sound; faults of ports are repaired."""
    tried = missed = 0
    for seed in campaign.draws(1, ROUNDS):
        items = list(faults(tmp_path, share, seed))
        silent = [item for item in items if item.outcome == "silent"]
        with subtests.test(seed=seed):
            check(items, silent)
        tried, missed = tried + len(items), missed + len(silent)
    assert missed <= (1 - LEAST_FOUND) * tried + 2


def check(items: list[Planted], silent: list[Planted]) -> None:
    assert len(items) >= 5000 / SHARES / ROUNDS
    assert {item.fault.kind for item in items} == set(KINDS)
    assert [str(item) for item in silent if harmless(item) is None] == []
    assert [str(item) for item in items if item.outcome in ("several", "elsewhere")] == []
    of_ports = [item for item in items if item.fault.kind in PORTS]
    assert len(of_ports) >= 300 / ROUNDS
    assert [str(item) for item in of_ports if item.outcome != "found" or item.fixed != item.sound.text] == []
