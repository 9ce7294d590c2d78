"""The folder that ``irrun debug blame`` writes shows the fault of the whole models, because of the same layer."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from tests.lab.pairs.judging import pairs
from tests.lab.reductions.judging import judged
from tests.plugins.tiers import Tier

MOST = 80


@pytest.mark.parametrize("network", ["bilstm", "bit"])
def test_reductions(network: str, tier: Tier, subtests: pytest.Subtests, tmp_path: Path) -> None:
    count = reduced = 0
    places = set(tier.part(range(20, MOST, 4), 3))
    for number, pair in enumerate(islice(pairs(network, 1), MOST)):
        if number not in places or pair.planted is None:
            continue
        found = judged(pair, tmp_path / str(number))
        with subtests.test(pair=pair.name):
            assert found is None or found.problem == ""
        count += found is not None
        reduced += found is not None and found.after <= 2
    assert count > 0
    assert reduced >= count // 2
