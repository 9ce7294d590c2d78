"""The graph of a model as networkx has it."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from random import Random
from typing import Any

import networkx as nx
import pytest

from irrun.document import read
from irrun.document.writer import Writer
from irrun.graph import Graph, Outlet, bind
from irrun.graph.graph import GraphEnds, Inlet
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.linter.models import NET

FACT = Fact(F32, Shape([2]))


def squares() -> Graph:
    """Return x -> x * x -> Result, and a dead ReLU of x."""
    ir = Writer("net")
    x = ir.parameter("x", F32, Shape([2]))
    (square,) = ir.layer("Multiply", "opset1", [x, x], [FACT], name="square")
    ir.layer("ReLU", "opset1", [x], [FACT], name="dead")
    ir.result(square)
    return bind(read(ir.text.encode())).graph


def test_it_is_a_frozen_multidigraph() -> None:
    graph = squares()
    assert isinstance(graph, nx.MultiDiGraph)
    assert nx.is_frozen(graph)
    assert list(graph.nodes(data="type")) == [(0, "Parameter"), (1, "Multiply"), (2, "ReLU"), (3, "Result")]
    with pytest.raises(nx.NetworkXError, match="Frozen graph can't be modified"):
        graph.add_node(9)


def test_both_edges_of_a_square_are_there() -> None:
    graph = squares()
    assert sorted(graph.edges(0, keys=True, data="from_port")) == [(0, 1, 0, 0), (0, 1, 1, 0), (0, 2, 0, 0)]
    assert graph.sources(1) == (Outlet(0, 0), Outlet(0, 0))
    assert graph.consumers(Outlet(0, 0)) == [Inlet(1, 0), Inlet(1, 1), Inlet(2, 0)]


def test_algorithms_of_networkx_work_on_it() -> None:
    graph = squares()
    assert nx.ancestors(graph, 3) == {0, 1}
    assert graph.upstream([3]) == {0, 1, 3}
    assert graph.upstream([3], known={1}) == {1, 3}
    assert graph.downstream([0]) == {0, 1, 2, 3}
    assert graph.downstream([]) == set()
    assert graph.dependencies() == {0, 1, 3}
    assert nx.dag_longest_path_length(graph) == 2


def test_two_exports_that_differ_in_ids_are_isomorphic() -> None:
    graph = squares()
    other = nx.relabel_nodes(graph, {0: 30, 1: 10, 2: 20, 3: 0})
    same_type = nx.algorithms.isomorphism.categorical_node_match("type", None)
    assert nx.is_isomorphic(graph, other, node_match=same_type)
    assert not nx.is_isomorphic(graph, graph.without([2]), node_match=same_type)


def test_the_order_follows_the_document_where_edges_leave_a_choice() -> None:
    ir = Writer("net")
    x, y = ir.parameter("x", F32, Shape([2])), ir.parameter("y", F32, Shape([2]))
    (late,) = ir.layer("ReLU", "opset1", [y], [FACT], name="late")
    (early,) = ir.layer("Tanh", "opset1", [x], [FACT], name="early")
    (both,) = ir.layer("Add", "opset1", [early, late], [FACT], name="both")
    ir.result(both)
    graph = bind(read(ir.text.encode())).graph
    assert [node.name for node in graph.ordered()][:5] == ["x", "y", "late", "early", "both"]


def test_layers_in_and_behind_a_cycle_are_left_out_of_the_order() -> None:
    turned = NET.replace('from-layer="0" from-port="0"', 'from-layer="1" from-port="1"', 1)
    found = bind(read(turned.encode()))
    assert found.graph.cycles() == [[1]]
    assert found.graph.topological_order == (0,)
    assert [item.code for item in found.diagnostics] == ["IR206"]


def test_a_part_of_it_keeps_the_order_and_the_ends() -> None:
    part = squares().without([2])
    assert part.topological_order == (0, 1, 3)
    assert (part.parameters, part.results, part.sinks) == ((0,), (3,), ())
    assert nx.is_frozen(part)


def test_graphml_has_plain_attributes() -> None:
    file = io.BytesIO()
    nx.write_graphml(squares(), file)
    found: Any = nx.read_graphml(io.BytesIO(file.getvalue()), node_type=int, force_multigraph=True)
    assert dict(found.nodes(data=True)) == {
        0: {"name": "x", "type": "Parameter", "version": "opset1"},
        1: {"name": "square", "type": "Multiply", "version": "opset1"},
        2: {"name": "dead", "type": "ReLU", "version": "opset1"},
        3: {"name": "Result_3", "type": "Result", "version": "opset1"},
    }
    assert sorted((source, target, data["to_port"]) for source, target, data in found.edges(data=True)) == [
        *((0, 1, 0), (0, 1, 1), (0, 2, 0), (1, 3, 0)),
    ]


def test_node_link_data_is_json() -> None:
    graph = squares()
    text = json.dumps(nx.node_link_data(graph))
    found: Any = nx.node_link_graph(json.loads(text))
    assert dict(found.nodes(data=True)) == dict(graph.nodes(data=True))
    assert list(found.edges(data="to_port")) == list(graph.edges(data="to_port"))


def test_copies_and_parts_keep_records_and_ends() -> None:
    graph = squares()
    for other in (graph.copy(), graph.subgraph([0, 1, 3]), graph.subgraph([0, 1, 3]).copy()):
        assert other.node(1) is graph.node(1)
        assert other.ends == graph.ends == GraphEnds((0,), (3,), ())
    copied = graph.copy()
    copied.ends = GraphEnds()
    assert graph.parameters == (0,)


def test_the_order_is_that_of_networkx() -> None:
    """Random edges, most of which follow the order of the nodes; some make cycles."""
    for seed in range(60):
        random = Random(seed)
        ids = random.sample(range(100), random.randint(1, 30))
        graph = Graph.__new__(Graph)
        nx.MultiDiGraph.__init__(graph)
        nx.MultiDiGraph.add_nodes_from(graph, ids)
        for key in range(2 * len(ids)):
            pair = sorted(random.choices(range(len(ids)), k=2))
            source, target = pair if random.random() < 0.97 else reversed(pair)
            nx.MultiDiGraph.add_edge(graph, ids[source], ids[target], key)
        expected: list[int] = []
        with suppress(nx.NetworkXUnfeasible):
            for id in nx.lexicographical_topological_sort(graph, key=lambda _: 0):
                expected.append(id)
        assert graph._topological() == tuple(expected), seed
