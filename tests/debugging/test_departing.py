"""Known departures of OpenVINO's CPU plugin at the layer where a difference begins."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.debugging.departing import departures_of
from irrun.debugging.diagnosing import diagnose_layers
from irrun.debugging.layers import LayerComparison, LayerDifference, Tolerance
from irrun.debugging.metrics import errors
from irrun.model import Loaded, load
from irrun.ops.departures import GENERAL, of_types
from irrun.reporting.explain import explain
from irrun.tensor import ElementType, Fact, Shape
from tests.cases import f32, i64
from tests.nets import Net

WIDE = GENERAL["64-bit"]


def sums(path: Path, type: str = "i64") -> Loaded:
    net = Net()
    values = i64([1, 2]) if type == "i64" else f32([1, 2])
    net.result(net.layer("Add", [net.parameter("x", "2", type), net.constant(values, type)], name="sum"))
    return load(net.save(path))


def normal(path: Path, shape: str, axes: list[int]) -> Loaded:
    net = Net()
    inputs = [net.parameter("x", shape), net.constant(np.array(axes, np.int64))]
    net.result(net.layer("MVN", inputs, opset=6, name="mvn", normalize_variance=True, eps=1e-5, eps_mode="inside_sqrt"))
    return load(net.save(path))


def of(model: Loaded, name: str) -> int:
    return next(node.id for node in model.graph.ordered() if node.name == name)


def fact(type: str) -> Fact:
    return Fact(ElementType.named(type), Shape((2,)))


SATURATES = "saturates 8-bit integers (instead: Convert to i32 before, and back after)"


def test_of_element_types(tmp_path: Path) -> None:
    model = sums(tmp_path / "a.xml")
    assert departures_of(model, of(model, "sum")) == (SATURATES, WIDE)
    narrow = sums(tmp_path / "b.xml", "f32")
    assert departures_of(narrow, of(narrow, "sum")) == (SATURATES,)


@pytest.mark.parametrize(
    ("inputs", "outputs", "keys"),
    [
        (["f32", "i64"], ["f32", "i64"], []),
        (["u64"], ["f32"], ["64-bit"]),
        (["f64"], ["i64"], ["f64", "64-bit"]),
        (["string"], ["string"], ["strings"]),
        ([], ["i64"], ["64-bit"]),
    ],
)
def test_of_the_first_tensors(inputs: list[str], outputs: list[str], keys: list[str]) -> None:
    """Indices, axes and shapes of other ports are not what is computed."""
    found = of_types([*map(fact, inputs)], [*map(fact, outputs)])
    assert found == tuple(GENERAL[key] for key in keys)


def test_of_forms_that_the_layer_has(tmp_path: Path) -> None:
    bare = normal(tmp_path / "a.xml", "2,3", [])
    text = "returns the data of an MVN of a matrix without axes (instead: Subtract(x, x))"
    assert departures_of(bare, of(bare, "mvn")) == (text,)
    usual = normal(tmp_path / "b.xml", "1,3,2,2", [2, 3])
    assert departures_of(usual, of(usual, "mvn")) == ()


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("OpenVINO", f"known departures: OpenVINO's CPU plugin {SATURATES}; {WIDE}"),
        ("ONNX Runtime", ""),
    ],
)
def test_of_no_other_engine(tmp_path: Path, name: str, what: str) -> None:
    model = sums(tmp_path / "a.xml")
    ours, theirs = i64([1 << 40, 3]), i64([0, 3])
    found = errors(ours, theirs)
    item = LayerDifference("sum", "Add", 0, of(model, "sum"), "sum", "name", (2,), "", True, True, found, found)
    verdict = diagnose_layers(model, LayerComparison((item,), (ours,), (theirs,)), name, [ours], [theirs], Tolerance())
    assert [(item.name, item.cause, item.what) for item in verdict.suspects] == [("sum", "implementation", what)]


def test_explained(tmp_path: Path) -> None:
    assert explain(sums(tmp_path / "a.xml"), "sum").general == (WIDE,)
    assert explain(sums(tmp_path / "b.xml", "f32"), "sum").general == ()
