"""Delta debugging: subsets, layers, outputs, shapes and constants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import DebugError, reduce
from irrun.debugging.cases import Case, layers_of, smallest
from irrun.model import build, load
from tests.debugging.nets import NETS, written
from tests.lab.planting.models import inputs_of


@pytest.mark.parametrize("wanted", [{3}, {0, 9}, {1, 4, 5}, set(range(10))])
def test_the_smallest_subset(wanted: set[int]) -> None:
    asked: list[Sequence[int]] = []

    def shows(some: Sequence[int]) -> bool:
        asked.append(some)
        return wanted <= set(some)

    assert set(smallest(range(10), shows)) == wanted
    assert len(asked) < 100


def types(case: Case) -> list[str]:
    return [case.model.graph.node(id).type for id in layers_of(case.model)]


@pytest.mark.parametrize("name", NETS)
def test_reduced_to_each_type_of_layer(tmp_path: Path, name: str) -> None:
    """Whatever type of layer is looked for, one is left, and the model can be run."""
    model = load(written(name, tmp_path))
    for wanted in sorted(set(types(Case((model,))))):
        found = reduce(model, lambda case, wanted=wanted: wanted in types(case), shapes=False)
        assert types(found.case) == [wanted]
        assert not found.model.diagnostics
        build(found.model)(inputs_of(found.model))


def test_reduced_with_the_tensors_of_the_whole(tmp_path: Path) -> None:
    """Each case gives the tensors that the whole model has."""
    model = load(written("resnet", tmp_path))
    inputs = inputs_of(model)

    def has_negative(case: Case) -> bool:
        return any((array < 0).any() for array in build(case.model)(case.by_index).to_tuple())

    found = reduce(model, has_negative, inputs, shapes=False)
    assert found.after == 1
    assert has_negative(found.case)


def test_smaller_shapes_of_a_convolution(tmp_path: Path) -> None:
    """Input channels are shorter in the data and in the weights at once."""
    model = load(written("squeeze_excite", tmp_path))
    found = reduce(model, lambda case: "Convolution" in types(case))
    (shape,) = (port.shape for port in found.model.inputs)
    assert shape[1] == 1
    assert np.prod(shape) <= 9


def test_nothing_to_reduce(tmp_path: Path) -> None:
    model = load(written("mlp", tmp_path))
    with pytest.raises(DebugError, match="the fault does not show in the whole model"):
        reduce(model, lambda _: False)


def test_a_limit_of_checks(tmp_path: Path) -> None:
    model = load(written("transformer", tmp_path))
    found = reduce(model, lambda case: "SoftMax" in types(case) or "Softmax" in types(case), most=2)
    assert found.checks == 2
    assert 1 <= found.after < found.before
