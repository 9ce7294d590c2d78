"""The rewriter: refused patches, dropped nodes, and the input graph, which it leaves unchanged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Handle
from irrun.graph import Outlet
from irrun.inference import Facts
from irrun.ops._declared.activation.relu import ReLU
from irrun.ops._declared.type.convert import Convert
from irrun.optimize import PatchError, Rewriter, Settings, optimize
from irrun.runtime.constants import constants
from irrun.tensor.element_type import F64
from tests.nets import Net


def began(net: Net, folder: Path) -> tuple[Rewriter, irrun.model.Loaded]:
    net.save(folder / "net.xml")
    model = irrun.model.load(folder / "net.xml")
    graph = model.bound.graph
    return Rewriter(graph, model.facts, constants(graph, model.facts)), model


def tanh(net: Net) -> None:
    """Add Tanh(x * (2 + 3))."""
    five = net.layer("Add", [net.constant(np.float32(2)), net.constant(np.float32(3))], "")
    product = net.layer("Multiply", [net.parameter("x", "2,3"), five], "2,3")
    net.result(net.layer("Tanh", [product], "2,3"))


def kinds(rewriter: Rewriter) -> list[str]:
    return [node.type for node in rewriter.nodes()]


def test_constants_are_cut_off(tmp_path: Path) -> None:
    net = Net()
    tanh(net)
    rewriter, model = began(net, tmp_path)
    assert sorted(kinds(rewriter)) == ["Add", "Multiply", "Parameter", "Result", "Tanh"]
    assert len(model.bound.graph) == 7


def test_what_feeds_nothing_is_dropped(tmp_path: Path) -> None:
    net = Net()
    tanh(net)
    rewriter, model = began(net, tmp_path)
    (last,) = rewriter.nodes("Tanh")
    (product,) = rewriter.nodes("Multiply")
    data = rewriter.sources(product.id)[0]
    rewriter.replace(Outlet(last.id, 0), rewriter.fuse(ReLU(), [data], [last]))
    assert kinds(rewriter) == ["Parameter", "ReLU", "Result"]
    graph, facts, known = rewriter.optimized()
    assert [node.type for node in graph.ordered()] == ["Parameter", "ReLU", "Result"]
    assert isinstance(facts, Facts)
    assert known == {}
    assert [node.type for node in model.bound.graph.ordered() if node.type == "Tanh"] == ["Tanh"]


def test_a_patch_that_changes_the_type_is_refused(tmp_path: Path) -> None:
    net = Net()
    tanh(net)
    rewriter, _ = began(net, tmp_path)
    (last,) = rewriter.nodes("Tanh")
    wide = rewriter.fuse(Convert(destination_type=F64), [rewriter.sources(last.id)[0]], [last])
    with pytest.raises(PatchError, match=r"f32\[2,3\] would become f64\[2,3\]"):
        rewriter.replace(Outlet(last.id, 0), wide)


def test_nothing_happens_where_nothing_is_asked(tmp_path: Path) -> None:
    net = Net()
    tanh(net)
    _, model = began(net, tmp_path)
    graph, facts, known = optimize(model.bound.graph, model.facts, {}, Settings(enabled=False))
    assert graph is model.bound.graph
    assert facts is model.facts
    assert known == {}


def test_a_fused_node_names_what_it_stands_for(tmp_path: Path) -> None:
    net = Net()
    tanh(net)
    (step,) = net.compile(tmp_path).plan.steps
    assert step.node.type == "FusedElementwise"
    assert [name.split("_")[0] for name in step.node.op.parts] == ["Multiply", "Tanh"]


def _negated(net: Net) -> Handle:
    """A negated constant before a Concat."""
    x = net.parameter("x", "2,4")
    half = net.layer("Slice", [x, *(net.constant([number]) for number in (0, 2, 1, 1))], opset=8)
    joined = net.layer("Concat", [net.layer("Negative", [net.normal(2, 2)]), half], axis=1)
    return net.layer(
        "Add", [net.layer("Multiply", [x, net.normal(2, 4)]), net.layer("Multiply", [joined, net.normal(2, 4)])]
    )


def _centred(net: Net) -> Handle:
    """The mean of a constant where a normalisation has that of its input."""
    last = net.constant([-1])
    mean = net.layer("ReduceMean", [net.normal(2, 4), last], keep_dims=True)
    centre = net.layer("Subtract", [net.parameter("x", "2,4"), mean])
    square = net.layer("Power", [centre, net.constant(np.float32(2))])
    spread = net.layer("ReduceMean", [square, last], keep_dims=True)
    root = net.layer("Sqrt", [net.layer("Add", [spread, net.constant(np.float32(1e-3))])])
    return net.layer("Divide", [centre, root])


@pytest.mark.parametrize("made", [_negated, _centred])
def test_constants_in_the_places_of_patterns(tmp_path: Path, made: Callable[[Net], Handle]) -> None:
    net = Net()
    net.result(made(net))
    x = np.linspace(-1, 2, 8, dtype=np.float32).reshape(2, 4)
    plain, optimized = (net.compile(tmp_path, OPTIMIZE=each)([x])[0] for each in (False, True))
    np.testing.assert_allclose(optimized, plain, rtol=1e-5, atol=1e-6)
