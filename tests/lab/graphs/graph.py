"""Graphs as plain data: nodes in topological order, each with its operation and the sources of its inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from irrun.ops import Op
from irrun.ops.context import BodyPorts
from irrun.tensor import Array, ElementType, Fact

NO_BODIES: Mapping[str, Body] = MappingProxyType({})


class Source(NamedTuple):
    """An output of a node."""

    node: int
    port: int = 0


@dataclass(frozen=True, slots=True)
class Input:
    """A Parameter: what it declares, and the value that it is given. Those of a body have no value."""

    fact: Fact
    value: Array | None = None


@dataclass(frozen=True, slots=True)
class Constant:
    """A Const, its value in the carrier of its type."""

    type: ElementType
    value: Array


@dataclass(frozen=True, slots=True)
class Layer:
    """Any other operation."""

    op: Op
    sources: tuple[Source, ...]
    outputs: int
    bodies: Mapping[str, Body] = field(default_factory=lambda: NO_BODIES)


Node = Input | Constant | Layer


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes, each after those that it reads, and the tensors that are results."""

    nodes: tuple[Node, ...]
    results: tuple[Source, ...]

    @property
    def inputs(self) -> list[int]:
        return [index for index, node in enumerate(self.nodes) if isinstance(node, Input)]

    @property
    def feeds(self) -> list[Array]:
        """The values of the inputs, in order."""
        return [node.value for node in self.nodes if isinstance(node, Input) and node.value is not None]

    @property
    def layers(self) -> Iterator[Layer]:
        """All layers, those of bodies included."""
        for node in self.nodes:
            if isinstance(node, Layer):
                yield node
                for body in node.bodies.values():
                    yield from body.graph.layers

    @property
    def is_stateful(self) -> bool:
        return any(layer.op.type == "Assign" for layer in self.layers)

    @property
    def is_dynamic(self) -> bool:
        return any(isinstance(node, Input) and not node.fact.shape.is_static for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Body:
    """A sub-graph, and how its inputs and results are connected."""

    graph: Graph
    ports: BodyPorts


def pruned(graph: Graph, *, keep_inputs: bool = False) -> Graph:
    """The graph without nodes that no result needs. A variable that is read keeps the layers that write it."""
    needed: set[int] = set()
    waiting = [source.node for source in graph.results]
    while True:
        while waiting:
            index = waiting.pop()
            if index not in needed:
                needed.add(index)
                node = graph.nodes[index]
                waiting += [source.node for source in node.sources] if isinstance(node, Layer) else []
        read = {variable(graph.nodes[index]) for index in needed} - {None}
        waiting = [index for index, node in enumerate(graph.nodes) if index not in needed and variable(node) in read]
        if not waiting:
            break
    if keep_inputs:
        needed |= set(graph.inputs)
    return _renumbered(graph, sorted(needed))


def ancestors(nodes: Sequence[Node], index: int) -> set[int]:
    """The nodes whose elements a node is sure to depend on, itself included, not their shapes, not through bodies."""
    found: set[int] = set()
    waiting = [index]
    while waiting:
        index = waiting.pop()
        node = nodes[index]
        if index not in found and isinstance(node, Layer) and node.op.type != "ShapeOf" and not node.bodies:
            waiting += [source.node for source in node.sources]
        found.add(index)
    return found


def variable(node: Node) -> str | None:
    """The variable that a node reads or writes."""
    return getattr(node.op, "variable_id", None) if isinstance(node, Layer) else None


def _renumbered(graph: Graph, kept: Sequence[int]) -> Graph:
    number = {old: new for new, old in enumerate(kept)}
    nodes: list[Node] = []
    for index in kept:
        node = graph.nodes[index]
        if isinstance(node, Layer):
            sources = tuple(Source(number[source.node], source.port) for source in node.sources)
            node = Layer(node.op, sources, node.outputs, node.bodies)
        nodes.append(node)
    return Graph(tuple(nodes), tuple(Source(number[source.node], source.port) for source in graph.results))


def explain(graph: Graph) -> str:
    """A graph as text, a node a line."""
    lines = []
    for index, node in enumerate(graph.nodes):
        if isinstance(node, Input):
            lines.append(f"%{index} = input {node.fact} {'' if node.value is None else _short(node.value)}")
        elif isinstance(node, Constant):
            lines.append(f"%{index} = constant {node.type}{list(node.value.shape)} {_short(node.value)}")
        else:
            sources = ", ".join(f"%{s.node}" + (f":{s.port}" if s.port else "") for s in node.sources)
            lines.append(f"%{index} = {node.op!r} of {sources}")
            for tag, body in node.bodies.items():
                lines += [f"    {tag}: {line}" for line in (*_ports(body.ports), *explain(body.graph).splitlines())]
    lines.append("results " + ", ".join(f"%{s.node}" + (f":{s.port}" if s.port else "") for s in graph.results))
    return "\n".join(lines)


def _ports(ports: BodyPorts) -> list[str]:
    entries = [*(f"input {entry}" for entry in ports.inputs), *(f"output {entry}" for entry in ports.outputs)]
    return [re.sub(r"Body\w+|start=0, end=-1, stride=1, part_size=1|axis=None, ", "", entry) for entry in entries] + [
        f"back edges {ports.back_edges}"
    ]


def _short(array: Array) -> str:
    text = " ".join(repr(array.tolist()).split())
    return text if len(text) < 200 else f"{text[:200]}…"
