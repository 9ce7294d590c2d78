"""A few inferences of each kind; ``python -m tests.lab soak`` does many."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.runtime.state import State
from irrun.tensor import Array
from tests.engines import TIERS
from tests.lab.soak import models
from tests.lab.soak.soak import differences, growth

SMALLEST = 32
"""The bytes of the smallest object that an inference could keep."""


@pytest.mark.parametrize("tier", TIERS)
def test_threads_get_the_results_of_one_thread(tmp_path: Path, tier: str) -> None:
    assert differences(tier, 16, 30, tmp_path) == []


@pytest.mark.parametrize(
    ("tier", "inferences"), [("numpy", 1000), pytest.param("compiled", 4000, marks=pytest.mark.rest)]
)
def test_memory_is_flat(tmp_path: Path, tier: str, inferences: int) -> None:
    grown = growth(tier, inferences, tmp_path)
    assert grown.keys() == models.MODELS.keys()
    assert max(grown.values()) < inferences / 2 * SMALLEST / 2


def test_a_planted_difference_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared: dict[str, Array] = {}

    def read(_: State, name: str, initial: Array) -> Array:
        shared[name] = shared.get(name, initial) + 1
        return shared[name]

    monkeypatch.setattr(State, "read", read)
    found = differences("numpy", 2, 3, tmp_path)
    assert any("stateful" in line for line in found)
    assert not any("static" in line for line in found)
