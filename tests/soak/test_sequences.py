"""Shapes in turn on a few random models; ``python -m tests.soak.sequences`` runs many."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

import irrun.model.specialize
from tests.graphs.generate import generate
from tests.graphs.graph import Graph
from tests.ops.random_draws import Random
from tests.soak.sequences import differences, dynamic_graphs, opened

SENSITIVE = (131, 145, 5013, 5038, 5053)
"""Seeds of graphs with layers, of which some are inside a body, that only some of the shapes fit."""


def _graph(seed: int) -> Graph:
    return opened(generate(seed), Random(seed))


@pytest.mark.parametrize("seed", [*(seed for seed, _ in islice(dynamic_graphs(), 16)), *SENSITIVE])
def test_outcomes_are_those_of_fresh_models(seed: int, tmp_path: Path) -> None:
    found, refused = differences(_graph(seed), seed, 40, tmp_path)
    assert found == []
    assert refused < 40


def test_a_shape_that_is_not_checked_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = irrun.model.specialize.Plans._check

    def check_first(plans: irrun.model.specialize.Plans, sizes: irrun.model.specialize.Sizes) -> None:
        if plans._last is None:
            checked(plans, sizes)

    monkeypatch.setattr(irrun.model.specialize.Plans, "_check", check_first)
    found, _ = differences(_graph(145), 145, 40, tmp_path)
    assert found != []
