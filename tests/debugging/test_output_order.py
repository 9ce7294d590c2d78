"""Claims about outputs that are missing, renamed, or in another order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.debugging import compare
from irrun.debugging.verdicts import Suspect, Verdict
from irrun.model import Loaded, load
from tests.cases import f32
from tests.debugging.pieces import X, net, nothing
from tests.nets import Net


def test_expected_outputs_name_no_layer(tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", nothing)
    found = compare(model, [np.zeros((2, 4), np.float32)], X)
    assert (found.verdict.verdict, found.verdict.suspects) == ("unknown", ())
    assert found.verdict.reason == "expected outputs do not tell which layer differs"


def test_outputs_that_are_exchanged(tmp_path: Path) -> None:
    def both(path: Path, *tensors: str) -> Loaded:
        made = Net()
        x = made.parameter("x", "2,4")
        for type, tensor in zip(("Tanh", "Exp"), tensors, strict=True):
            made.result(made.layer(type, [x], name=type.lower(), tensor=tensor))
        return load(made.save(path))

    found = compare(both(tmp_path / "a.xml", "u", "v"), both(tmp_path / "b.xml", "v", "u"), X).verdict
    assert [(item.name, item.other, item.cause) for item in found.suspects] == [
        ("u", "v", "order"),
        ("v", "u", "order"),
    ]


def test_an_output_that_is_renamed_and_one_that_is_another(tmp_path: Path) -> None:
    def both(path: Path, type: str, tensor: str) -> Loaded:
        made = Net()
        x = made.parameter("x", "2,4")
        made.result(made.layer("Tanh", [x], name="t", tensor="u"))
        made.result(made.layer(type, [x], name="e", tensor=tensor))
        return load(made.save(path))

    model = both(tmp_path / "a.xml", "Exp", "v")
    found = compare(model, both(tmp_path / "b.xml", "Exp", "w"), X).verdict
    assert [(item.name, item.other, item.cause) for item in found.suspects] == [("v", "w", "order")]
    found = compare(model, both(tmp_path / "c.xml", "Sin", "w"), X).verdict
    assert [(item.name, item.type, item.cause) for item in found.suspects] == [("e", "Exp", "type")]


def test_outputs_without_names_belong_together_by_place(tmp_path: Path) -> None:
    made = Net()
    x = made.parameter("x", "2,4")
    made.result(*made.layers("Split", [x, made.constant(1)], 4, num_splits=4, name="parts"))
    model = load(made.save(tmp_path / "a.xml"))
    assert compare(model, model, X).verdict == Verdict("equal")


@pytest.mark.parametrize("only", ["model", "other"])
def test_outputs_that_one_side_lacks(tmp_path: Path, only: str) -> None:
    def model(*outputs: str) -> Loaded:
        made = Net()
        x = made.parameter("x", "2,4")
        for name in outputs:
            made.result(made.layer("Tanh" if name == "y" else "Abs", [x], tensor=name))
        return load(made.save(tmp_path / f"{len(outputs)}.xml"))

    pair = [model("y", "z"), model("y")]
    found = compare(*(pair if only == "model" else pair[::-1]), X).verdict
    what = f"the output is only in the {'first' if only == 'model' else 'other'} model"
    names = ("z", "") if only == "model" else ("", "z")
    assert found.suspects == (Suspect(names[0], "Result", names[1], "missing", what),)
    assert (found.verdict, found.cause, found.reason) == ("different", "missing", "1 output only on one side")


def test_outputs_that_are_constants_and_differ(tmp_path: Path) -> None:
    """No layer computes them, so nothing explains the difference."""

    def model(name: str, value: float) -> Loaded:
        net = Net()
        net.result(net.layer("Relu", [net.parameter("x", "1,3")], name="relu"))
        net.result(net.layer("Add", [net.constant(f32([value])), net.constant(f32([1]))], name="sum"))
        return load(net.save(tmp_path / f"{name}.xml"))

    found = compare(model("a", 1), model("b", 2), {0: f32([[1, -2, 3]])})
    assert [item.differs for item in found.outputs] == [False, True]
    assert (found.verdict.verdict, found.verdict.suspects) == ("unknown", ())
