"""Two models, and a model beside expected outputs, from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import DebugError, PairWork, Tolerance, compare, compare_files, pairs_of
from irrun.jobs.items import way
from irrun.model import Loaded, load
from tests.cases import f32
from tests.nets import Net

IMAGE = {0: f32([[1, -2, 3]])}


def model(folder: Path, name: str, factor: float, names: tuple[str, ...] = ("image",)) -> Loaded:
    """Relu(image * factor), or the product of all inputs."""
    net = Net()
    product = net.layer("Multiply", [net.parameter(names[0], "1,3"), net.constant(f32([factor]))], name="scale")
    for other in names[1:]:
        product = net.layer("Multiply", [product, net.parameter(other, "1,3")])
    net.result(net.layer("Relu", [product], name="relu", tensor="level"))
    return load(net.save(folder / f"{name}.xml"))


def test_the_first_layer_that_differs(tmp_path: Path) -> None:
    first, second = model(tmp_path, "first", 2), model(tmp_path, "second", 2.01)
    found = compare(first, second, IMAGE)
    assert found.differs
    assert found.layers is not None
    assert found.layers.first is not None
    assert found.layers.first.layer == "scale"
    assert found.outputs[0].errors is not None
    assert found.outputs[0].errors.max == pytest.approx(0.03, rel=1e-3)
    within = compare(first, second, IMAGE, Tolerance(rtol=0.01))
    assert (within.differs, within.layers) == (False, None)
    assert within.as_dict()["status"] == "equal"


def test_expected_outputs(tmp_path: Path) -> None:
    one = model(tmp_path, "one", 2)
    assert not compare(one, [f32([[2, 0, 6]])], IMAGE).differs
    found = compare(one, [f32([[2, 0]]), f32([1])], IMAGE)
    assert [item.problem for item in found.outputs] == [
        "[1,3] beside [1,2]",
        "an output that the first model does not have",
    ]
    assert compare(one, [None], IMAGE).outputs[0].problem == "the other side does not have it"
    assert compare(one, [np.array(["a"])], IMAGE).outputs[0].problem == "text on one side, numbers on the other"


def test_an_input_that_only_the_other_model_has(tmp_path: Path) -> None:
    first, second = model(tmp_path, "first", 2), model(tmp_path, "second", 2, ("image", "mask"))
    with pytest.raises(DebugError, match=r'^other: the first model has no input "mask", its inputs are image$'):
        compare(first, second, IMAGE)


def test_pairs_of_files(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, factors in ((old, (2, 3)), (new, (2, 3.5))):
        folder.mkdir()
        for factor, name in zip(factors, "ab", strict=True):
            model(folder, name, factor)
    model(old, "c", 1)
    pairs = pairs_of(str(old), str(new))
    records = list(compare_files(PairWork({}), pairs))
    assert [(record["name"], record["status"]) for record in records] == [
        ("a.xml", "equal"),
        ("b.xml", "different"),
        ("c.xml", "failed"),
    ]
    assert records[2]["error"] == f"c.xml has no counterpart in {new}"
    first = compare_files(PairWork({}, fail_fast=True), pairs, way(1, None, 1))
    assert [record["status"] for record in first] == ["equal", "different"]
    with pytest.raises(DebugError, match="there is no such file, expected a model"):
        pairs_of(str(tmp_path / "none.xml"), None)
