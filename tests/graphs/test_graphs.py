"""Random graphs give the same in every form in which irrun runs them, and have no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.graphs.generate import generate
from tests.graphs.judge import Judge

SEEDS = range(1000, 1200)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_form_agrees(seed: int, tmp_path: Path) -> None:
    assert [str(finding) for finding in Judge(tmp_path)(generate(seed))] == []


def test_a_seed_gives_one_graph() -> None:
    one, other = ([repr(layer.op) for layer in generate(SEEDS[0]).layers] for _ in range(2))
    assert one == other
    assert len(one) >= 5
