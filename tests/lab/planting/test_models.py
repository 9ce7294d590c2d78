"""Planted faults are named, exactly and by a small piece that shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.debugging.cases import of_sizes
from irrun.model import load
from tests.debugging.nets import ALL, written
from tests.lab.planting.models import KINDS, inputs_of, named, plant
from tests.plugins.tiers import Tier

PLACES = [
    *((name, kind, 0) for name in ALL for kind in ("weight", "log_of_zero")),
    *((name, "overflow", 0) for name in ALL if name != "recurrent"),
    *((name, "scale", 0) for name in ("digits", "mobilenet", "mlp", "transformer", "sound", "detector")),
    *((name, "transposed", 0) for name in ("resnet", "unet", "recurrent", "squeeze_excite")),
    *((name, "pad", 0) for name in ("digits", "resnet", "mobilenet", "unet", "squeeze_excite", "detector")),
    *((name, "axis", 0) for name in ("digits", "mobilenet", "transformer", "detector")),
    *((name, "shifted", 0) for name in ("sound", "detector")),
    ("resnet", "weight", 3),
    ("transformer", "weight", 5),
    ("unet", "weight", 3),
]


@pytest.mark.parametrize("name", ALL)
def test_the_planted_layer_is_named(name: str, tmp_path: Path, tier: Tier, subtests: pytest.Subtests) -> None:
    model = load(written(name, tmp_path))
    inputs = inputs_of(model)
    model = of_sizes(model, inputs)
    places = [(kind, skipped) for network, kind, skipped in tier.part(PLACES, 16) if network == name]
    assert places
    for kind, skipped in places:
        with subtests.test(kind=kind, skipped=skipped):
            planted = plant(model, inputs, kind, skipped)
            assert planted is not None
            found = named(model, planted, inputs, kind)
            assert (found.first, found.blamed, found.reproduces) == (planted.layer, planted.layer, True)
            assert 1 <= found.piece <= 3


def test_every_kind_is_planted_in_several_networks() -> None:
    for kind in KINDS:
        assert len({name for name, other, _ in PLACES if other == kind}) >= 2
