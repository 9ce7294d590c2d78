"""Random graphs give the same in every form in which irrun runs them, and have no finding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.tensor.element_type import F32, I64
from tests.lab.graphs.generate import generate
from tests.lab.graphs.grow import Grower, Rejected, Tensor
from tests.lab.graphs.judge import Judge
from tests.lab.graphs.theme import Theme
from tests.ops.random_draws import Random
from tests.plugins.tiers import Campaign

FIRST, SHARES = 1000, 8
"""The first seed, and the tests of the campaign, so that processes share its graphs evenly."""


@pytest.mark.parametrize("share", range(SHARES))
def test_every_form_agrees(share: int, tmp_path: Path, campaign: Campaign, subtests: pytest.Subtests) -> None:
    judge = Judge(tmp_path)
    for number in campaign.draws(1, 15):
        seed = FIRST + SHARES * number + share
        with subtests.test(seed=seed):
            assert [str(finding) for finding in judge(generate(seed))] == []


def test_a_seed_gives_one_graph() -> None:
    one, other = ([repr(layer.op) for layer in generate(FIRST).layers] for _ in range(2))
    assert one == other
    assert len(one) >= 5


def grown() -> tuple[Grower, Tensor]:
    """A graph of one input, and the input."""
    draw = Random(0)
    theme = Theme(1, [F32], [], dynamic=0, constant=0, motifs=0, bodies=0, states=False)
    grower = Grower(draw, theme)
    return grower, grower.parameter(F32, np.array([0.5, 0.5, 1], np.float32))


def distinct(grower: Grower, tensor: Tensor) -> tuple[int, ...]:
    values, *_ = grower.add("Unique", 10, [tensor], {"sorted": True})
    return values.shape


def test_the_distinct_values_of_what_is_given_or_moved() -> None:
    grower, given = grown()
    assert distinct(grower, given) == (2,)
    assert distinct(grower, grower.one("Reverse", 1, given, grower.ints([0], [I64], 1), mode="index")) == (2,)


@pytest.mark.parametrize("path", [["Exp"], ["Exp", "Negative"], ["Exp", "Floor"]])
def test_rounding_decides_no_shape(path: list[str]) -> None:
    """Values that are equal in one order of computation may differ by a bit in another."""
    grower, tensor = grown()
    for kind in path:
        tensor = grower.one(kind, 1, tensor)
    with pytest.raises(Rejected, match="Unique: rounding decides the shape"):
        distinct(grower, tensor)
    whole = grower.one("Convert", 1, tensor, destination_type=I64)
    with pytest.raises(Rejected, match="NonZero: rounding decides the shape"):
        grower.one("NonZero", 3, whole, output_type="i64")
    shape = grower.one("ShapeOf", 3, tensor, output_type="i64")
    assert grower.one("Reshape", 1, tensor, shape, special_zero=False).shape == (3,)
