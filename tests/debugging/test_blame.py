"""Blame where no layer errs by itself, and what a page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.debugging import ModelSide, Tolerance, blame, write_folder
from irrun.debugging.blames import NothingToBlame
from irrun.debugging.cases import layers_of
from irrun.model import load
from tests.debugging.nets import written
from tests.lab.planting.models import inputs_of


def test_an_optimisation_is_blamed_where_layers_agree(tmp_path: Path) -> None:
    """Rounding to bf16 is an optimisation, which a run as written does not have."""
    model = load(written("resnet", tmp_path))
    inputs, config = inputs_of(model), {"INFERENCE_PRECISION_HINT": "bf16"}
    found = blame(model, ModelSide(model, inputs), inputs, Tolerance(1e-4, 0), config=config)
    assert (found.verdict.cause, found.verdict.suspects[0].cause) == ("optimisation", "optimisation")
    assert (found.kind, found.sides, found.reproduces) == ("optimisation", ("as written", "optimised"), True)
    assert found.type in ("Convolution", "MatMul")
    assert len(layers_of(found.case.model)) == 1
    write_folder(found, tmp_path / "report")
    page = (tmp_path / "report" / "README.md").read_text()
    assert "irrun compare model.xml optimised.npz -i model.npz --rtol 0.0001 --atol 0 --as-written" in page


def test_the_layer_that_rounding_changes_most(tmp_path: Path) -> None:
    """No layer exceeds the tolerance, so the worst is found."""
    model = load(written("mlp", tmp_path))
    found = blame(model, "bf16", inputs_of(model), Tolerance(0.5, 0))
    assert (found.kind, found.reproduces) == ("precision", True)
    assert len(found.layers) == 1


@pytest.mark.parametrize("other", ["sound", "recurrent"])
def test_models_that_have_nothing_in_common(other: str, tmp_path: Path) -> None:
    first, second = (load(written(name, tmp_path)) for name in ("mlp", other))
    with pytest.raises(NothingToBlame, match="no layer is to blame: the difference begins between") as found:
        blame(first, ModelSide(second, inputs_of(second)), inputs_of(first))
    assert (found.value.verdict.verdict, found.value.verdict.suspects) == ("unknown", ())
