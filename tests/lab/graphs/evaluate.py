"""The facts and the values of a graph, layer by layer: what growing, comparing and shrinking know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from irrun.inference.fold import fold
from irrun.ops import Op, OpError, calling
from irrun.ops._declared.infrastructure.read_value import ReadValue6
from irrun.ops.context import BodyCall
from irrun.runtime.state import State
from irrun.tensor import Array, ElementType, Fact, Shape
from tests.lab.graphs.graph import Body, Constant, Graph, Input, Layer, Node, Source

Facts = dict[Source, Fact]
Arrays = dict[Source, Array]
NOTHING: Final[Mapping[Source, Array]] = MappingProxyType({})


class Use(NamedTuple):
    """A layer with what is known of its inputs, what they hold, and what it makes of them."""

    op: Op
    facts: Sequence[Fact]
    inputs: Sequence[Array]
    types: Sequence[ElementType]
    outputs: Sequence[Array]


class Listener(Protocol):
    """Sees all that is computed, bodies included, and may change it."""

    def leaf(self, type: ElementType, array: Array) -> Array:
        """The value of an input or a constant."""
        ...

    def layer(self, use: Use) -> Sequence[Array]:
        """The outputs of a layer."""
        ...


def infer_graph(graph: Graph, given: Sequence[Fact | None] = ()) -> Facts:
    """Infer the fact of every tensor; ``given`` replaces the declared inputs. OpError if a layer is invalid."""
    facts: Facts = {}
    waiting = list(given)
    for index, node in enumerate(graph.nodes):
        if isinstance(node, Input):
            fact = waiting.pop(0) if waiting else None
            if fact is not None and not fact.shape.compatible(node.fact.shape):
                raise OpError(f"input {index} is {fact}, expected {node.fact}")
            facts[Source(index)] = fact or Fact(node.fact.type, node.fact.shape.named(f"in{index}"))
        elif isinstance(node, Constant):
            facts[Source(index)] = Fact.of(node.type, node.value)
        else:
            for port, fact in enumerate(infer_layer(node, [facts[source] for source in node.sources])):
                facts[Source(index, port)] = fact
    return facts


def infer_layer(layer: Layer, inputs: Sequence[Fact]) -> tuple[Fact, ...]:
    """Infer the facts of the outputs of one layer."""
    context = {"output_count": layer.outputs, "bodies": {tag: _inferring(body) for tag, body in layer.bodies.items()}}
    asked = {name: context.get(name) for name in layer.op.spec.infer_asks}
    return fold(layer.op, inputs, calling.infer(layer.op, inputs, **asked))


def _inferring(body: Body) -> BodyCall:
    def call(parameters: Sequence[Fact | None]) -> tuple[Fact, ...]:
        facts = infer_graph(body.graph, parameters)
        return tuple(facts[source] for source in body.graph.results)

    return BodyCall(body.ports, call, _declared(body))


def _declared(body: Body) -> tuple[Fact, ...]:
    return tuple(node.fact for node in body.graph.nodes if isinstance(node, Input))


class Evaluator:
    """Computes every tensor of a graph in the carrier of its type. ``facts`` holds what is inferred of them."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.facts = infer_graph(graph)
        self._inner = {
            index: {tag: Evaluator(body.graph) for tag, body in node.bodies.items()}
            for index, node in enumerate(graph.nodes)
            if isinstance(node, Layer)
        }

    def run(
        self,
        feeds: Sequence[Array],
        state: State,
        listener: Listener | None = None,
        otherwise: Mapping[Source, Array] = NOTHING,
    ) -> Arrays:
        """All values for these inputs; variables are read from ``state`` and written there, not committed.

        A layer that fails has the values of ``otherwise``, where that holds any.
        """
        arrays: Arrays = {}
        waiting = list(feeds)
        for index, node in enumerate(self.graph.nodes):
            if isinstance(node, Layer):
                types = [self.facts[Source(index, port)].type for port in range(node.outputs)]
                known = [self.facts[source] for source in node.sources]
                inputs = [arrays[source] for source in node.sources]
                try:
                    outputs = run_layer(node, types, known, inputs, state, self._inner[index], listener)
                except (OpError, ValueError, IndexError):
                    if Source(index) not in otherwise:
                        raise
                    outputs = [otherwise[Source(index, port)] for port in range(node.outputs)]
                arrays.update({Source(index, port): array for port, array in enumerate(outputs)})
                continue
            array = node.value if isinstance(node, Constant) else waiting.pop(0)
            type = self.facts[Source(index)].type
            arrays[Source(index)] = array if listener is None else listener.leaf(type, array)
        return arrays

    def runs(
        self, count: int, listener: Listener | None = None, otherwise: Sequence[Mapping[Source, Array]] = ()
    ) -> list[Arrays]:
        """All values of one inference after the other, each with the graph's own inputs."""
        state, found = State(), []
        for number in range(count):
            fallback = otherwise[number] if otherwise else NOTHING
            found.append(self.run(self.graph.feeds, state, listener, fallback))
            state.commit()
        return found

    def results(self, arrays: Sequence[Arrays]) -> list[list[Array]]:
        """The results among all values."""
        return [[found[source] for source in self.graph.results] for found in arrays]


def run_layer(
    layer: Layer,
    types: Sequence[ElementType],
    facts: Sequence[Fact],
    inputs: Sequence[Array],
    state: State,
    inner: Mapping[str, Evaluator],
    listener: Listener | None = None,
) -> Sequence[Array]:
    """The outputs of one layer, of these types; ``facts`` are those of its inputs, ``inner`` its bodies."""

    def running(tag: str, body: Body) -> BodyCall:
        def call(parameters: Sequence[Array]) -> tuple[Array, ...]:
            arrays = inner[tag].run(parameters, state, listener)
            return tuple(arrays[source] for source in body.graph.results)

        return BodyCall(
            body.ports, call, _declared(body), tuple(inner[tag].facts[source] for source in body.graph.results)
        )

    context = {
        "state": state,
        "facts": facts,
        "output_count": layer.outputs,
        "bodies": {tag: running(tag, body) for tag, body in layer.bodies.items()},
    }
    asked = {name: context.get(name) for name in layer.op.spec.run_asks}
    arrays = calling.run(layer.op, inputs, types, **asked)
    return arrays if listener is None else listener.layer(Use(layer.op, facts, inputs, types, arrays))


def hidden(graph: Graph, *, ranks: bool = False) -> tuple[Graph, list[Fact | None]]:
    """Return a graph and the facts of its inputs with hidden sizes, or hidden ranks.

    Variables that begin as a tensor have any shape, since theirs must cover that of the tensor.
    """
    facts = [
        Fact(node.fact.type, Shape.unknown(None if ranks else node.fact.rank))
        for node in graph.nodes
        if isinstance(node, Input)
    ]
    return replace(graph, nodes=tuple(_of_any_shape(node) for node in graph.nodes)), [*facts]


def _of_any_shape(node: Node) -> Node:
    if not isinstance(node, Layer) or not isinstance(node.op, ReadValue6) or not node.sources:
        return node
    op = ReadValue6(
        variable_id=node.op.variable_id, variable_type=node.op.variable_type, variable_shape=Shape.unknown()
    )
    return replace(node, op=op)
