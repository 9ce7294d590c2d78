"""Edits of a graph: what they refuse, which facts they infer again, and the graph that they leave."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import irrun.editing.mutable
from irrun.document import read
from irrun.document.writer import Writer
from irrun.editing import EditError, MutableGraph
from irrun.graph import Outlet, bind
from irrun.graph.graph import Inlet
from irrun.inference import infer
from irrun.ops._declared.activation.relu import ReLU
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.ops._declared.type.convert import Convert
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32, F64, STRING


def chain(length: int = 3) -> MutableGraph:
    """Return x f32[2,3] -> Tanh -> … -> Result, with ids 0, 1, …"""
    ir = Writer("net")
    fact = Fact(F32, Shape([2, 3]))
    x = ir.parameter("x", F32, Shape([2, 3]))
    for _ in range(length):
        (x,) = ir.layer("Tanh", "opset1", [x], [fact])
    ir.result(x)
    document = read(ir.text.encode())
    graph = bind(document).graph
    return MutableGraph(graph, infer(graph, document.weights), document.weights)


@pytest.fixture
def inferred(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the ids of the nodes whose facts are inferred."""
    found: list[int] = []
    original = irrun.editing.mutable.infer_node

    def observed(node, inputs, weights):  # type: ignore[no-untyped-def]
        found.append(node.id)
        return original(node, inputs, weights)

    monkeypatch.setattr(irrun.editing.mutable, "infer_node", observed)
    return found


def types(edited: MutableGraph) -> list[str]:
    return [edited.node(id).type for id in edited.order]


def relu(edited: MutableGraph, source: Outlet) -> Outlet:
    node = edited.node(1)._replace(type="ReLU", op=ReLU(), name="relu")
    return Outlet(edited.add(node, [source]), 0)


def test_the_first_edit_copies_the_graph() -> None:
    edited = chain()
    before = edited.graph
    assert nx.is_frozen(before)
    relu(edited, Outlet(0, 0))
    assert edited.graph is not before
    assert len(before) == 5
    assert len(edited.graph) == 6


def test_a_frozen_graph_is_changed_by_the_next_edit_only_in_a_copy() -> None:
    edited = chain()
    relu(edited, Outlet(0, 0))
    frozen, facts = edited.freeze()
    edited.remove([5])
    assert 5 in frozen
    assert facts[Outlet(5, 0)].shape == Shape([2, 3])
    assert 5 not in edited.graph


def test_an_inserted_node_with_equal_facts_infers_nothing_again(inferred: list[int]) -> None:
    edited = chain(100)
    edited.connect(relu(edited, Outlet(50, 0)), Inlet(51, 0))
    inferred.clear()
    edited.infer()
    assert inferred == []
    assert types(edited)[50:53] == ["Tanh", "ReLU", "Tanh"]


def test_facts_are_inferred_as_far_as_they_differ(inferred: list[int]) -> None:
    edited = chain(4)
    convert = edited.node(2)._replace(type="Convert", op=Convert(destination_type=F32), name="back")
    edited.connect(Outlet(edited.add(convert, [Outlet(2, 0)]), 0), Inlet(3, 0))
    edited.update(edited.node(0)._replace(op=Parameter(element_type=F64, shape=Shape([2, 3]))))
    inferred.clear()
    edited.infer()
    assert inferred == [0, 1, 2, 6]
    assert str(edited.facts[Outlet(2, 0)]) == "f64[2,3]"
    assert str(edited.facts[Outlet(4, 0)]) == "f32[2,3]"


def test_a_diamond_is_inferred_once(inferred: list[int]) -> None:
    ir = Writer("net")
    x = ir.parameter("x", F32, Shape([2]))
    for _ in range(20):
        (x,) = ir.layer("Add", "opset1", [x, x], [Fact(F32, Shape([2]))])
    ir.result(x)
    document = read(ir.text.encode())
    graph = bind(document).graph
    edited = MutableGraph(graph, infer(graph, document.weights))
    edited.give(0, [Fact(F32, Shape([5]))])
    edited.infer()
    assert sorted(inferred) == list(range(1, 22))
    assert edited.facts[Outlet(20, 0)].shape == Shape([5])


def test_the_symbols_of_a_parameter_are_named() -> None:
    edited = chain()
    shape = Shape.parse("?,3")
    edited.update(edited.node(0)._replace(op=Parameter(element_type=F32, shape=shape)))
    edited.infer()
    assert edited.facts[Outlet(3, 0)].shape == shape.named("x")


def test_a_fault_is_kept_until_it_is_mended() -> None:
    edited = chain()
    edited.update(edited.node(0)._replace(op=Parameter(element_type=STRING, shape=Shape([2, 3]))))
    edited.infer()
    (fault,) = edited.faults(edited.graph)
    assert (fault.code, fault.layer and fault.layer.name) == ("IR308", "Tanh_1")
    assert Outlet(2, 0) not in edited.facts
    edited.update(edited.node(0)._replace(op=Parameter(element_type=F32, shape=Shape([4]))))
    edited.infer()
    assert edited.faults(edited.graph) == ()
    assert edited.facts[Outlet(3, 0)].shape == Shape([4])


def test_replaced_outlets_feed_nothing() -> None:
    edited = chain()
    new = relu(edited, Outlet(0, 0))
    edited.replace(Outlet(1, 0), new)
    assert edited.consumers(Outlet(1, 0)) == []
    assert edited.consumers(new) == [Inlet(2, 0)]
    edited.remove_unused([1])
    assert types(edited) == ["Parameter", "ReLU", "Tanh", "Tanh", "Result"]


def test_unused_nodes_go_with_what_only_they_used() -> None:
    edited = chain(4)
    edited.connect(Outlet(0, 0), Inlet(4, 0))
    edited.remove_unused([3], kept={1})
    assert types(edited) == ["Parameter", "Tanh", "Tanh", "Result"]
    assert edited.has(1)
    assert not edited.has(2)


def test_refused_edits() -> None:
    edited = chain()
    with pytest.raises(EditError, match="there is no output 1 of node 2"):
        edited.connect(Outlet(2, 1), Inlet(3, 0))
    with pytest.raises(EditError, match="there is no output 0 of node 77"):
        edited.add(edited.node(1), [Outlet(77, 0)])
    with pytest.raises(EditError, match="there is no input 1 of node 3"):
        edited.connect(Outlet(0, 0), Inlet(3, 1))
    for edit in (
        lambda: edited.update(edited.node(1)._replace(id=9)),
        lambda: edited.feed(9, ()),
        lambda: edited.remove([9]),
    ):
        with pytest.raises(EditError, match="there is no node 9"):
            edit()
    with pytest.raises(EditError, match="there is no output 3 of node 1"):
        edited.replace(Outlet(1, 3), Outlet(0, 0))
    with pytest.raises(EditError, match='"Tanh_2" consumes an output of "Tanh_1"'):
        edited.remove([1])
    assert types(edited) == ["Parameter", "Tanh", "Tanh", "Tanh", "Result"]


def test_a_cycle_ends_inference() -> None:
    edited = chain()
    edited.connect(Outlet(3, 0), Inlet(1, 0))
    edited.give(0, [Fact(F32, Shape([7]))])
    edited.infer()
    assert edited.graph.cycles() == [[1, 2, 3]]


def test_constants_of_equal_shape_are_not_compared() -> None:
    edited = chain()
    large = Fact.of(F32, np.zeros((600, 600), np.float32))
    edited.give(1, [large])
    edited.infer()
    edited.give(1, [Fact.of(F32, np.ones((600, 600), np.float32))])
    assert edited.order == (0, 1, 2, 3, 4)
    assert edited._stale == set()


def test_the_order_after_removals_is_that_of_a_new_search() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        edited = chain(1)
        ends = [0]
        for _ in range(12):
            ends.append(relu(edited, Outlet(int(rng.choice(ends)), 0)).node)
        for _ in range(4):
            assert edited.order
            leaves = [id for id in ends[1:] if edited.has(id) and not edited.graph.out_degree(id)]
            edited.remove([int(rng.choice(leaves))])
            assert edited.order == edited.graph.topological_order
            assert edited.freeze()[0].topological_order == edited.order
