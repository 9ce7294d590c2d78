"""Claims of ``irrun compare`` on rewritten models, and on models with a planted fault, are true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

import pytest

from irrun.debugging.verdicts import CAUSES, EQUAL
from tests.exports.archives import PAIR_NAMES, PAIRS
from tests.lab.pairs.faults import exchanged_states, kept_state
from tests.lab.pairs.judging import ACCEPTED, Pair, exporter_pairs, judged, outcome, pairs, stories
from tests.lab.pairs.planting import Kind
from tests.plugins.tiers import Tier

MOST, FEW = 60, 24

UNKNOWN = 0.05
"""The share of pairs that a verdict may leave unknown, beyond those of one fault, each way round."""


@pytest.mark.sample(5)
@pytest.mark.parametrize("network", PAIR_NAMES)
def test_two_exporters_agree(network: str) -> None:
    assert len(PAIR_NAMES) >= 10
    sound = list(islice(exporter_pairs(network, 1), 3))
    assert [pair.planted for pair in sound] == [None] * 3
    assert [judged(pair) for pair in sound] == [EQUAL] * 3
    assert (PAIRS / f"{network}.tar.xz").stat().st_size <= 75_000


@pytest.mark.parametrize("plant", [kept_state, exchanged_states])
def test_faults_of_variables(plant: Kind) -> None:
    model, inputs = stories()
    planted = next(one for one in plant(model) if one is not None)
    told = planted, frozenset(planted.layer.split("|")), ACCEPTED.get(planted.cause, frozenset({planted.cause}))
    pair = Pair("stories", model, planted.model, inputs, *told)
    assert outcome(pair, judged(pair)) == "right"


@pytest.mark.parametrize(
    ("network", "made"), [("bilstm", pairs), ("bit", pairs), ("bilstm", exporter_pairs), ("gpt2", exporter_pairs)]
)
def test_pairs(network: str, made: Callable[[str, int], Iterator[Pair]], tier: Tier, subtests: pytest.Subtests) -> None:
    """No sound pair has a suspect, and no other layer than the planted one is suspected."""
    found: Counter[str] = Counter()
    most = MOST if made is pairs else FEW
    places = set(tier.part(range(most), most // 4))
    for number, pair in enumerate(islice(made(network, 1), most)):
        if number not in places:
            continue
        verdict = judged(pair)
        found[outcome(pair, verdict)] += 1
        with subtests.test(pair=pair.name):
            assert outcome(pair, verdict) != "wrong", verdict
            assert verdict.verdict in ("equal", "different", "unknown")
            assert {verdict.cause, *(item.cause for item in verdict.suspects)} <= {"", *CAUSES}
    assert sum(found.values()) >= 3
    assert found["unknown"] <= max(2, UNKNOWN * sum(found.values()))
