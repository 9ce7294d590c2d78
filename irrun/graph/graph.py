"""What a document means: operations with their attributes, joined port to port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import networkx as nx

from irrun.document.records import LayerElement
from irrun.ops import Op
from irrun.ops.context import BodyPorts


class Outlet(NamedTuple):
    """An output port: the node, and which of its outputs, counted from 0."""

    node: int
    port: int


class Body(NamedTuple):
    """A sub-graph of a node, and how it is tied to the node's ports."""

    graph: Graph
    ports: BodyPorts


class Node(NamedTuple):
    """A layer as an operation. ``op`` is None where the layer could not be understood.

    ``names`` are the tensor names of each output. ``layers`` are the elements that it stands for.
    """

    id: int
    name: str
    type: str
    version: str
    op: Op | None
    outputs: int
    names: tuple[tuple[str, ...], ...]
    layer: LayerElement | None
    bodies: Mapping[str, Body]


class Graph:
    """A networkx MultiDiGraph of nodes.

    Every node of ``digraph`` carries its record as ``node`` and ``name``, ``type``, ``version`` and ``op`` beside it;
    every edge carries ``from_port`` and ``to_port``, counted from 0 among outputs and among inputs. ``order`` is
    topological, and that of the document where the edges leave a choice.
    """

    __slots__ = ("_sources", "digraph", "order", "parameters", "results", "sinks")

    def __init__(
        self,
        digraph: nx.MultiDiGraph[int],
        order: Sequence[int],
        sources: Mapping[int, tuple[Outlet | None, ...]],
        parameters: Sequence[int],
        results: Sequence[int],
        sinks: Sequence[int],
    ) -> None:
        self.digraph = digraph
        self.order = tuple(order)
        self._sources = sources
        self.parameters = tuple(parameters)
        self.results = tuple(results)
        self.sinks = tuple(sinks)

    def __getitem__(self, id: int) -> Node:
        node: Node = self.digraph.nodes[id]["node"]
        return node

    def __iter__(self) -> Iterator[Node]:
        """The nodes in topological order."""
        return (self[id] for id in self.order)

    def __len__(self) -> int:
        return len(self.order)

    def sources(self, id: int) -> tuple[Outlet | None, ...]:
        """The outlet that feeds each input of a node, None where nothing does."""
        return self._sources[id]

    def walk(self) -> Iterator[Node]:
        """Every node, those of bodies included, a node before its bodies."""
        for node in self:
            yield node
            for body in node.bodies.values():
                yield from body.graph.walk()
