"""Shapes in turn on a few random models; ``python -m tests.lab sequences`` runs many."""

from __future__ import annotations

from pathlib import Path

import pytest

import irrun.model.specialize
from tests.lab.graphs.generate import generate
from tests.lab.graphs.graph import Graph
from tests.lab.sequences.walks import differences, dynamic_graphs, opened
from tests.ops.random_draws import Random
from tests.plugins.tiers import Campaign, Tier

SENSITIVE = (131, 145, 5013, 5038, 5053)
"""Seeds of graphs with layers, of which some are inside a body, that only some of the shapes fit."""


def _graph(seed: int) -> Graph:
    return opened(generate(seed), Random(seed))


def check(seed: int, graph: Graph, folder: Path) -> None:
    """Walk through shapes of a graph of which some fit."""
    found, refused = differences(graph, seed, 40, folder)
    assert found == []
    assert refused < 40


def test_outcomes_are_those_of_fresh_models(tmp_path: Path, campaign: Campaign, subtests: pytest.Subtests) -> None:
    for number in campaign.draws(3, 16):
        seed, graph = next(dynamic_graphs(number))
        with subtests.test(seed=seed):
            check(seed, graph, tmp_path)


def test_outcomes_where_shapes_do_not_fit_some_layers(tmp_path: Path, tier: Tier, subtests: pytest.Subtests) -> None:
    for seed in tier.part(SENSITIVE, 1):
        with subtests.test(seed=seed):
            check(seed, _graph(seed), tmp_path)


def test_a_shape_that_is_not_checked_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = irrun.model.specialize.Plans._check

    def check_first(plans: irrun.model.specialize.Plans, sizes: irrun.model.specialize.Sizes) -> None:
        if plans._last is None:
            checked(plans, sizes)

    monkeypatch.setattr(irrun.model.specialize.Plans, "_check", check_first)
    found, _ = differences(_graph(145), 145, 40, tmp_path)
    assert found != []
