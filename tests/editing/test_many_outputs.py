"""Edits around a layer of many outputs, whose consumers are kept by output."""

from __future__ import annotations

import pytest

from irrun.document import read
from irrun.document.writer import Writer
from irrun.editing import EditError, MutableGraph
from irrun.graph import Outlet, bind
from irrun.graph.graph import MANY, Inlet
from irrun.inference import infer
from irrun.ops._declared.activation.relu import ReLU
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, I64

PARTS = MANY + 4


@pytest.fixture
def edited() -> MutableGraph:
    """x f32[20] -> Split -> a Tanh of each part; x, the axis and the Split have the ids 0, 1 and 2."""
    ir = Writer("net")
    x = ir.parameter("x", F32, Shape([PARTS]))
    axis = ir.parameter("axis", I64, Shape([]))
    parts = ir.layer("Split", "opset1", [x, axis], [Fact(F32, Shape([1]))] * PARTS, {"num_splits": str(PARTS)})
    for part in parts:
        ir.result(ir.layer("Tanh", "opset1", [part], [Fact(F32, Shape([1]))])[0])
    document = read(ir.text.encode())
    graph = bind(document).graph
    found = MutableGraph(graph, infer(graph, document.weights), document.weights)
    (split,) = (node.id for node in graph.ordered() if node.type == "Split")
    assert split == 2
    # The first edit makes a copy, from which consumers are kept.
    found.add(found.node(_tanh(found, 0))._replace(name="more"), [Outlet(0, 0)])
    return found


def _tanh(edited: MutableGraph, port: int) -> int:
    (inlet,) = edited.consumers(Outlet(2, port))
    return inlet.node


def test_consumers_follow_the_edits(edited: MutableGraph) -> None:
    first, second = _tanh(edited, 0), _tanh(edited, 1)
    edited.connect(Outlet(2, 1), Inlet(first, 0))
    assert edited.consumers(Outlet(2, 0)) == []
    assert edited.consumers(Outlet(2, 1)) == [Inlet(second, 0), Inlet(first, 0)]
    edited.connect(Outlet(2, 1), Inlet(first, 0))
    assert edited.consumers(Outlet(2, 1)) == [Inlet(second, 0), Inlet(first, 0)]
    edited.replace(Outlet(2, 1), Outlet(2, 2))
    assert edited.consumers(Outlet(2, 1)) == []
    assert {inlet.node for inlet in edited.consumers(Outlet(2, 2))} == {first, second, _tanh_of(edited, 2)}
    edited.feed(first, [Outlet(0, 0)])
    assert Inlet(first, 0) not in edited.consumers(Outlet(2, 2))
    graph, _ = edited.freeze()
    assert {inlet.node for inlet in graph.consumers(Outlet(2, 2))} == {second, _tanh_of(edited, 2)}


def _tanh_of(edited: MutableGraph, port: int) -> int:
    """The Tanh that has read an output since the beginning."""
    return edited.consumers(Outlet(2, port))[0].node


def test_a_layer_that_is_removed_is_no_consumer(edited: MutableGraph) -> None:
    relu = edited.add(edited.node(_tanh(edited, 3))._replace(type="ReLU", op=ReLU(), name="relu"), [Outlet(2, 3)])
    assert len(edited.consumers(Outlet(2, 3))) == 2
    edited.remove([relu])
    assert len(edited.consumers(Outlet(2, 3))) == 1
    assert edited.consumers(Outlet(relu, 0)) == []
    with pytest.raises(EditError, match=f"^there is no input 1 of node {_tanh(edited, 3)}$"):
        edited.connect(Outlet(0, 0), Inlet(_tanh(edited, 3), 1))


def test_an_input_that_is_left_out(edited: MutableGraph) -> None:
    """A layer that is fed from nothing consumes nothing, and can be fed again."""
    first = _tanh(edited, 0)
    edited.feed(first, [None])
    assert edited.consumers(Outlet(2, 0)) == []
    assert edited.sources(first) == (None,)
    edited.connect(Outlet(2, 0), Inlet(first, 0))
    assert edited.sources(first) == (Outlet(2, 0),)
    edited.feed(first, [None])
    edited.feed(first, [Outlet(2, 4)])
    assert Inlet(first, 0) in edited.consumers(Outlet(2, 4))
