"""Regions behind tensors that equal others by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import compare
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.nets import Net

X = {0: np.random.default_rng(5).standard_normal((1, 5, 4)).astype(np.float32)}


def steps(path: Path, prefix: str, start: int) -> Loaded:
    """A sum of columns with growing weights, each cut out of a slice that begins at one of them."""
    made = Net()
    at = made.layer("Tanh", [made.parameter("x", "1,5,4")], name=f"{prefix}tanh")
    cut = [made.constant([value]) for value in (start, start + 3, 1, 1)]
    kept = made.layer("Slice", [at, *cut], opset=8, name=f"{prefix}kept")
    total = None
    for place in range(3):
        taken = [kept, made.constant(place), made.constant(1)]
        column = made.layer("Gather", taken, opset=8, name=f"{prefix}column_{place}", batch_dims=0)
        weight = made.constant(np.float32(place + 2))
        column = made.layer("Multiply", [column, weight], name=f"{prefix}weighted_{place}")
        total = column if total is None else made.layer("Add", [total, column], name=f"{prefix}total_{place}")
    assert total is not None
    made.result(made.layer("Sigmoid", [total], name=f"{prefix}end", tensor="y"))
    return load(made.save(path))


def sizes(path: Path, prefix: str, axis: int) -> Loaded:
    """Rows of a table, as many as an axis has, and a product with the size of the last axis."""
    made = Net()
    x, zero = made.parameter("x", "1,5,4"), made.constant(0)
    table: Array = np.random.default_rng(2).standard_normal((9, 4)).astype(np.float32)
    shape = made.layer("ShapeOf", [x], opset=3, name=f"{prefix}shape", output_type="i64")
    rows, columns = (
        made.layer("Gather", [shape, made.constant(at), zero], opset=8, name=f"{prefix}{name}", batch_dims=0)
        for name, at in (("rows", axis), ("columns", 2))
    )
    places = made.layer("Range", [zero, rows, made.constant(1)], opset=4, name=f"{prefix}places", output_type="i64")
    looked = made.layer("Gather", [made.constant(table), places, zero], opset=8, name=f"{prefix}looked", batch_dims=0)
    made.result(made.layer("Tanh", [looked], name=f"{prefix}end", tensor="y"))
    factor = made.layer("Convert", [columns], name=f"{prefix}factor", destination_type="f32")
    made.result(made.layer("Multiply", [x, factor], name=f"{prefix}product", tensor="z"))
    return load(made.save(path))


def halves(path: Path, prefix: str, *starts: int) -> Loaded:
    """A product of functions of slices, each of two columns."""
    made = Net()
    at = made.layer("Tanh", [made.parameter("x", "1,5,4")], name=f"{prefix}tanh")
    total = None
    for number, (start, type) in enumerate(zip(starts, ("Exp", "Sigmoid", "Sin"), strict=True)):
        cut = [made.constant([value]) for value in (start, start + 2, 1, 2)]
        half = made.layer("Slice", [at, *cut], opset=8, name=f"{prefix}half_{number}")
        half = made.layer(type, [half], name=f"{prefix}{type}")
        total = half if total is None else made.layer("Multiply", [total, half], name=f"{prefix}total_{number}")
    assert total is not None
    made.result(made.layer("Tanh", [total], name=f"{prefix}end", tensor="y"))
    return load(made.save(path))


@pytest.mark.parametrize("prefix", ["", "b_"])
@pytest.mark.parametrize(("wrong", "place"), [((2, 2, 1), 0), ((0, 0, 1), 1), ((0, 2, 2), 2)])
def test_a_slice_that_begins_where_another_one_does(
    wrong: Sequence[int], place: int, prefix: str, tmp_path: Path
) -> None:
    """The layer is named that the function behind it reads, not the one whose tensor it has."""
    first, other = halves(tmp_path / "a.xml", "", 0, 2, 1), halves(tmp_path / "b.xml", prefix, *wrong)
    names = f"half_{place}", f"{prefix}half_{place}"
    for model, beside, expected in ((first, other, names), (other, first, names[::-1])):
        (suspect,) = compare(model, beside, X).verdict.suspects
        assert (suspect.name, suspect.other, suspect.cause) == (*expected, "constant")


@pytest.mark.parametrize("prefix", ["", "b_"])
@pytest.mark.parametrize(("make", "right", "wrong", "name"), [(steps, 0, 1, "kept"), (sizes, 1, 2, "rows")])
def test_what_equals_another_tensor_by_chance_is_not_taken_for_it(
    make: Callable[[Path, str, int], Loaded], right: int, wrong: int, name: str, prefix: str, tmp_path: Path
) -> None:
    """A column equals the one before, and a size another size."""
    first, other = make(tmp_path / "a.xml", "", right), make(tmp_path / "b.xml", prefix, wrong)
    for model, beside in ((first, other), (other, first)):
        (suspect,) = compare(model, beside, X).verdict.suspects
        names = name, f"{prefix}{name}"
        assert (suspect.name, suspect.other) == (names if model is first else names[::-1])
        assert suspect.cause == "constant"
