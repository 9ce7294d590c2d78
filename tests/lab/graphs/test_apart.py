from __future__ import annotations

import numpy as np

from irrun.ops.registry import resolve
from irrun.runtime.state import State
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F16, F32, I64
from tests.lab.graphs.apart import apart, atoms, broken, composed
from tests.lab.graphs.evaluate import Evaluator
from tests.lab.graphs.exact import exact_results
from tests.lab.graphs.generate import generate
from tests.lab.graphs.graph import Constant, Graph, Input, Layer, Source
from tests.lab.graphs.refusals import refusal


def layer(type: str, *sources: int, opset: int = 1, **attributes: object) -> Layer:
    return Layer(resolve(type, f"opset{opset}")(**attributes), tuple(map(Source, sources)), 1)


def chain() -> Graph:
    """Relu(x) * 3, negated: one layer after the other."""
    nodes = (
        Input(Fact(F32, Shape([2])), np.array([-1, 2], np.float32)),
        layer("ReLU", 0),
        Constant(F32, np.array(3, np.float32)),
        layer("Multiply", 1, 2),
        layer("Negative", 3),
    )
    return Graph(nodes, (Source(4),))


def reads(graph: Graph, reader: str, read: str) -> bool:
    nodes = [node for node in graph.nodes if isinstance(node, Layer) and node.op.type == reader]
    sources = [graph.nodes[source.node] for node in nodes for source in node.sources]
    return any(isinstance(node, Layer) and node.op.type == read for node in sources)


def results(graph: Graph) -> list[list[float]]:
    arrays = Evaluator(graph).run(graph.feeds, State())
    return [arrays[source].tolist() for source in graph.results]


def test_layers_apart_have_the_values_of_the_whole_graph() -> None:
    graph = apart(chain())
    assert results(graph) == [[0, 2], [0, 6], [0, -6]]
    assert not any(isinstance(graph.nodes[s.node], Layer) for node in graph.layers for s in node.sources)


def test_the_pair_between_which_something_breaks() -> None:
    assert broken(chain(), lambda graph: not reads(graph, "Negative", "Multiply")) == "Multiply before Negative"
    assert broken(chain(), lambda graph: not reads(graph, "Multiply", "ReLU")) == "ReLU before Multiply"


def test_layers_that_break_only_together() -> None:
    def agrees(graph: Graph) -> bool:
        return not (reads(graph, "Multiply", "ReLU") or reads(graph, "Negative", "Multiply"))

    assert broken(chain(), agrees) == "several layers"


def test_atoms_hold_the_layers_of_bodies() -> None:
    graph = next(graph for graph in map(generate, range(100)) if any(layer.bodies for layer in graph.layers))
    assert composed(graph)
    small = atoms(graph)
    assert not composed(small)
    assert sum(1 for _ in small.layers) > len([node for node in graph.nodes if isinstance(node, Layer)]) - len(
        composed(graph)
    )


def test_half_precision_is_exact_in_double() -> None:
    nodes = (
        Input(Fact(F16, Shape([])), np.array(2049 / 2048, np.float32)),
        layer("Multiply", 0, 0),
        layer("Convert", 1, destination_type=F32),
    )
    assert exact_results(Graph(nodes, (Source(2),)), 1) == [[(2049 / 2048) ** 2]]


def test_a_refusal_of_constants_names_layers_whose_sizes_depend_on_them() -> None:
    nodes = (
        Constant(F32, np.array([1, 0], np.float32)),
        layer("ReLU", 0),
        layer("NonZero", 0, opset=3, output_type=I64),
    )
    row = refusal("Check failed: The memory desc is undefined", Graph(nodes, (Source(1), Source(2))))
    assert row is not None
    assert row.layers(Graph(nodes, (Source(1), Source(2)))) == {2}
