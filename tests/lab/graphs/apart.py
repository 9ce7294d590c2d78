"""A graph as layers that do not read each other: OpenVINO contradicts itself where it agrees with each of them.

A difference, a crash or a refusal that is gone then lies in how the plugin fuses, moves, orders or stores layers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from irrun.runtime.state import State
from irrun.tensor import Array, ElementType
from tests.lab.graphs.edits import cut, leaf_of, sever
from tests.lab.graphs.evaluate import Evaluator, Use
from tests.lab.graphs.graph import Graph, Layer, Node, Source


def apart(graph: Graph) -> Graph:
    """The graph in which every layer reads inputs and constants, with the values that they have in the whole one."""
    return sever(graph, _layers(graph))


def composed(graph: Graph) -> set[int]:
    """The layers that are more than an operation: those with bodies, and those that read variables."""
    nodes = enumerate(graph.nodes)
    return {i for i, node in nodes if isinstance(node, Layer) and (node.bodies or node.op.type == "ReadValue")}


def atoms(graph: Graph) -> Graph:
    """The graph apart, with the layers of bodies in place of those that have bodies, and without variables."""
    recorder = _Recorder(graph)
    Evaluator(graph).run(graph.feeds, State(), recorder)
    whole = apart(graph)
    whole = cut(whole, composed(whole))
    nodes, results = list(whole.nodes), list(whole.results)
    for use in recorder.inner:
        sources = []
        for fact, array in zip(use.facts, use.inputs, strict=True):
            sources.append(Source(len(nodes)))
            nodes.append(leaf_of(fact, array))
        results += [Source(len(nodes), port) for port in range(len(use.outputs))]
        nodes.append(Layer(use.op, tuple(sources), len(use.outputs)))
    return Graph(tuple(nodes), tuple(results))


class _Recorder:
    """Collects the uses of layers in bodies."""

    def __init__(self, graph: Graph) -> None:
        self.inner: list[Use] = []
        self._outermost = {id(node.op) for node in graph.nodes if isinstance(node, Layer)}

    def leaf(self, type: ElementType, array: Array) -> Array:
        del type
        return array

    def layer(self, use: Use) -> Sequence[Array]:
        if not use.op.bodies and id(use.op) not in self._outermost:
            self.inner.append(use)
        return use.outputs


def broken(graph: Graph, agrees: Callable[[Graph], bool]) -> str:
    """The layer, and those that read it, between which OpenVINO errs: without them it agrees, found by bisection."""
    layers = _layers(graph)
    low, high = 0, len(layers)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if agrees(sever(graph, layers[:middle])) else (middle, high)
    index = layers[high - 1]
    if not agrees(sever(graph, [index])):
        return "several layers"
    readers = types(graph, _readers(graph, index))
    return f"{types(graph, [index])} before {'others' if ',' in readers else readers or 'a result'}"


def types(graph: Graph, indices: Collection[int]) -> str:
    """The types of some layers, as text."""
    nodes = [graph.nodes[index] for index in indices]
    return ", ".join(sorted({node.op.type for node in nodes if isinstance(node, Layer)}))


def _readers(graph: Graph, index: int) -> list[int]:
    def reads(node: Node) -> bool:
        return isinstance(node, Layer) and any(source.node == index for source in node.sources)

    return [number for number, node in enumerate(graph.nodes) if reads(node)]


def _layers(graph: Graph) -> list[int]:
    return [i for i, node in enumerate(graph.nodes) if isinstance(node, Layer) and node.op.type != "Assign"]
