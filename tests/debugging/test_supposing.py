"""An index of shape arithmetic of which the other model stores what follows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import Tolerance, blame, compare
from irrun.debugging.supposing import supposed
from irrun.model import Loaded, load
from tests.cases import f32
from tests.debugging.pieces import X
from tests.nets import Net

FACTOR = f32(np.arctan(np.arctan(np.arctan(np.sin(np.sin(np.sin(f32([0, 1]))))))).sum())


def computing(path: Path, index: int) -> Loaded:
    """Return a model that multiplies by a number which follows from a size, by more layers than a region may have."""
    made = Net()
    x = made.parameter("x", "2,4")
    size = made.layer("Gather", [made.layer("ShapeOf", [x]), made.constant(index, name="index"), made.constant(0)])
    at = made.layer("Range", [made.constant(0), size, made.constant(1)], output_type="f32", opset=4)
    for name in ("Sin", "Sin", "Sin", "Atan", "Atan", "Atan"):
        at = made.layer(name, [at])
    at = made.layer("ReduceSum", [at, made.constant([0])], keep_dims=False)
    made.result(made.layer("Tanh", [made.layer("Multiply", [x, at])], tensor="y"))
    return load(made.save(path))


def storing(path: Path, factor: float) -> Loaded:
    made = Net()
    made.result(made.layer("Tanh", [made.layer("Multiply", [made.parameter("x", "2,4"), made.constant(f32(factor))])]))
    return load(made.save(path))


@pytest.mark.parametrize("is_turned", [False, True])
def test_an_index_beside_what_another_one_gives(tmp_path: Path, *, is_turned: bool) -> None:
    pair = computing(tmp_path / "a.xml", 1), storing(tmp_path / "b.xml", FACTOR)
    pair = pair[::-1] if is_turned else pair
    (found,) = compare(*pair, X).verdict.suspects
    assert (found.type, found.cause, found.constants) == ("Gather", "constant", ("index",))
    assert found.what == "it takes the size 4, and with 2 in its place, the outputs agree"
    assert [bool(name) for name in (found.name, found.other)] == [not is_turned, is_turned]
    blamed = blame(*pair, X)
    assert (blamed.type, blamed.reproduces, len(blamed.case.models)) == ("Gather", True, 2)


def test_a_size_that_explains_nothing(tmp_path: Path) -> None:
    pair = computing(tmp_path / "a.xml", 1), storing(tmp_path / "b.xml", 2 * FACTOR)
    assert supposed(pair[0], X, [np.tanh(2 * FACTOR * X[0])], Tolerance()) == ()
    assert compare(*pair, X).verdict.verdict == "unknown"


def exchanged(path: Path, *, is_wrong: bool) -> Loaded:
    made = Net()
    halves = made.layers("Split", [made.parameter("x", "2,4"), made.constant(1)], 2, num_splits=2, name="halves")
    first, second = halves[::-1] if is_wrong else halves
    made.result(made.layer("Subtract", [made.layer("Sin", [first], name="a"), made.layer("Atan", [second], name="b")]))
    return load(made.save(path))


def test_two_parts_that_are_exchanged(tmp_path: Path) -> None:
    wanted = np.sin(X[0][:, :2]) - np.arctan(X[0][:, 2:])
    found = supposed(exchanged(tmp_path / "a.xml", is_wrong=True), X, [wanted], Tolerance())
    assert sorted((item.name, item.type, item.cause) for item in found) == [
        ("a", "Sin", "input"),
        ("b", "Atan", "input"),
    ]
    assert found[0].what == '"halves" has outputs 0 and 1: with these exchanged, the outputs agree'
    assert supposed(exchanged(tmp_path / "b.xml", is_wrong=False), X, [wanted * 2], Tolerance()) == ()
