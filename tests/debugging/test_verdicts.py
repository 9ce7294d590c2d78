"""Claims of a comparison, for pairs that are made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.debugging import Tolerance, compare
from irrun.debugging.diagnosing import diagnose_layers
from irrun.debugging.layers import LayerComparison, LayerDifference
from irrun.debugging.metrics import errors
from irrun.debugging.verdicts import CAUSES, Suspect, Verdict
from irrun.document.writer import Handle
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.cases import f32
from tests.nets import Net

Build = Callable[[Net, Handle], Handle]
X = {0: f32([[1.0, -2.0, 3.0, 0.5], [0.25, 4.0, -1.0, 2.0]])}
WEIGHTS = np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)


def net(path: Path, build: Build, prefix: str = "") -> Loaded:
    made = Net()
    at = build(made, made.layer("MatMul", [made.parameter("x", "2,4"), made.constant(WEIGHTS)], name=f"{prefix}first"))
    made.result(made.layer("Tanh", [at], name=f"{prefix}last", tensor="y"))
    return load(made.save(path))


def norm(eps: float, name: str) -> Build:
    return lambda made, x: made.layer(
        "MVN", [x, made.constant([1])], opset=6, name=name, normalize_variance=True, eps=eps, eps_mode="inside_sqrt"
    )


def product(values: Array, name: str, constant: str = "w") -> Build:
    return lambda made, x: made.layer("MatMul", [x, made.constant(values, name=constant)], name=name)


def layer(type: str, name: str) -> Build:
    return lambda made, x: made.layer(type, [x], name=name)


def nothing(_made: Net, x: Handle) -> Handle:
    return x


def less(swapped: bool, name: str) -> Build:
    def build(made: Net, x: Handle) -> Handle:
        halves = made.layers("Split", [x, made.constant(1)], 2, num_splits=2)
        return made.layer("Subtract", halves[::-1] if swapped else halves, name=name)

    return build


PAIRS: dict[str, tuple[Build, Build, dict[str, Any]]] = {
    "attribute": (norm(1e-6, "n"), norm(0.5, "n"), {"name": "n", "other": "n", "what": "eps 1e-06 beside 0.5"}),
    "other names": (norm(1e-6, "n"), norm(0.5, "m"), {"name": "n", "other": "m", "cause": "attribute"}),
    "constant": (
        product(WEIGHTS, "p"),
        product(WEIGHTS.T * f32(1.5), "p"),
        {"name": "p", "cause": "constant", "constants": ("w",)},
    ),
    "missing": (nothing, layer("Sigmoid", "extra"), {"name": "", "other": "extra", "cause": "missing"}),
    "more": (layer("Sigmoid", "extra"), nothing, {"name": "extra", "other": "", "cause": "missing"}),
    "type": (layer("Sigmoid", "a"), layer("Exp", "a"), {"name": "a", "cause": "type"}),
    "order": (less(False, "c"), less(True, "c"), {"name": "c", "cause": "order"}),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_planted_fault(name: str, tmp_path: Path) -> None:
    first, second, expected = PAIRS[name]
    pair = net(tmp_path / "a.xml", first), net(tmp_path / "b.xml", second, "other_")
    found = compare(*pair, X)
    (suspect,) = found.verdict.suspects
    assert found.verdict.verdict == "different"
    assert {key: getattr(suspect, key) for key in expected} == expected
    record = found.as_dict()
    assert (record["verdict"], record["cause"], record["status"]) == ("different", suspect.cause, "different")
    assert record["suspects"][0]["name"] == suspect.name
    assert suspect.cause in CAUSES
    back = compare(*reversed(pair), X).verdict.suspects[0]
    assert (back.name, back.other, back.cause) == (suspect.other, suspect.name, suspect.cause)


def test_equal_and_harmless(tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", product(WEIGHTS, "p"))
    assert compare(model, net(tmp_path / "b.xml", product(WEIGHTS, "q"), "other_"), X).verdict == Verdict("equal")
    step = f32(np.abs(WEIGHTS).max() / 7)

    def coded(made: Net, x: Handle) -> Handle:
        codes = made.constant(np.clip(np.round(WEIGHTS / step), -8, 7), "i4")
        floats = made.layer("Convert", [codes], "4,4", destination_type="f32")
        return made.layer("MatMul", [x, made.layer("Multiply", [floats, made.constant(step)])], name="p")

    found = compare(model, net(tmp_path / "c.xml", coded), X).verdict
    assert (found.verdict, found.cause, found.suspects) == ("different", "quantisation", ())
    assert found.reason.startswith("weights rounded to i4 in 1 layer")


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


def test_a_step_of_rounding_accuses_nobody(tmp_path: Path) -> None:
    def levels(made: Net, x: Handle) -> Handle:
        limits = [made.constant(f32(value)) for value in (0, 255, 0, 255)]
        return made.layer("FakeQuantize", [x, *limits], name="fq", levels=256)

    model = net(tmp_path / "a.xml", levels)
    (id,) = (node.id for node in model.graph.ordered() if node.name == "fq")
    ours, theirs = f32([1, 2, 3, 4]), f32([1, 2, 3, 5])

    def claimed(other: Array) -> Verdict:
        found = errors(ours, other)
        item = LayerDifference("fq", "FakeQuantize", 0, id, "fq", "name", (4,), "", True, True, found, found)
        layers = LayerComparison((item,), (ours,), (other,))
        return diagnose_layers(model, layers, "OpenVINO", [ours], [other], Tolerance())

    assert claimed(theirs) == Verdict("different", (), "rounding", '"fq": one step in 1 of 4 elements')
    (suspect,) = claimed(theirs * 2).suspects
    assert isinstance(suspect, Suspect)
    assert (suspect.name, suspect.cause) == ("fq", "implementation")
    assert suspect.what.startswith("known departures: OpenVINO's CPU plugin returns the lower limit for NaN; ")


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
