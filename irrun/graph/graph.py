"""The graph: operations with their attributes, connected port to port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from irrun.document.records import LayerElement
from irrun.ops import Op
from irrun.ops.context import BodyPorts

if TYPE_CHECKING:
    import networkx as nx

PARAMETER: Final = "Parameter"
RESULT: Final = "Result"


class Outlet(NamedTuple):
    """An output port: the node, and the index of the output, from 0."""

    node: int
    port: int


class Inlet(NamedTuple):
    """An input port: the node, and the index of the input, from 0."""

    node: int
    port: int


class Body(NamedTuple):
    """A sub-graph of a node, and its connections to the node's ports."""

    graph: Graph
    ports: BodyPorts


class Node(NamedTuple):
    """A layer as an operation; ``op`` is None where the layer could not be bound.

    ``names`` are the tensor names of each output. ``layer`` is the element that it was made from.
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

    Every node of ``digraph`` has its record as ``node``, and ``name``, ``type``, ``version`` and ``op`` beside it;
    every edge has ``from_port`` and ``to_port``, counted from 0 among outputs and among inputs. ``order`` is
    topological, and follows the document where the edges leave a choice.
    """

    __slots__ = ("_consumers", "_digraph", "_nodes", "_ordered", "_sources", "order", "parameters", "results", "sinks")

    def __init__(
        self,
        nodes: Mapping[int, Node],
        order: Sequence[int],
        sources: Mapping[int, tuple[Outlet | None, ...]],
        parameters: Sequence[int],
        results: Sequence[int],
        sinks: Sequence[int],
        digraph: nx.MultiDiGraph[int] | None = None,
    ) -> None:
        self._nodes = nodes
        self._digraph = digraph
        self._sources = sources
        self._consumers: dict[Outlet, list[Inlet]] | None = None
        self.order = tuple(order)
        self._ordered = tuple(map(nodes.__getitem__, self.order))
        self.parameters = tuple(parameters)
        self.results = tuple(results)
        self.sinks = tuple(sinks)

    @property
    def digraph(self) -> nx.MultiDiGraph[int]:
        if self._digraph is None:
            self._digraph = digraph_of(self._nodes, self._sources)
        return self._digraph

    def __getitem__(self, id: int) -> Node:
        return self._nodes[id]

    def consumers(self, outlet: Outlet) -> Sequence[Inlet]:
        """Return the inputs that an outlet feeds."""
        if self._consumers is None:
            found: dict[Outlet, list[Inlet]] = {}
            for id, outlets in self._sources.items():
                for port, source in enumerate(outlets):
                    if source is not None:
                        found.setdefault(source, []).append(Inlet(id, port))
            self._consumers = found
        return self._consumers.get(outlet, ())

    def __iter__(self) -> Iterator[Node]:
        """Iterate over the nodes in topological order."""
        return iter(self._ordered)

    def __len__(self) -> int:
        return len(self.order)

    def sources(self, id: int) -> tuple[Outlet | None, ...]:
        """Return the outlet that feeds each input of a node, None for an unconnected input."""
        return self._sources[id]

    def walk(self) -> Iterator[Node]:
        """Yield every node, including those of bodies, a node before its bodies."""
        for node in self:
            yield node
            for body in node.bodies.values():
                yield from body.graph.walk()


def digraph_of(nodes: Mapping[int, Node], sources: Mapping[int, Sequence[Outlet | None]]) -> nx.MultiDiGraph[int]:
    """Return nodes and their sources as a networkx graph."""
    import networkx as nx

    digraph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    for id, node in nodes.items():
        digraph.add_node(id, node=node, name=node.name, type=node.type, version=node.version, op=node.op)
    for id, outlets in sources.items():
        for port, source in enumerate(outlets):
            if source is not None:
                digraph.add_edge(source.node, id, from_port=source.port, to_port=port)
    return digraph
