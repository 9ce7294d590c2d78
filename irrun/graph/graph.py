"""The graph: operations with their attributes, connected port to port, in a networkx MultiDiGraph."""

from __future__ import annotations

import functools
import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import networkx as nx

from irrun.document.info import texts
from irrun.document.records import Info, LayerElement
from irrun.ops import Op
from irrun.ops.context import BodyPorts

_Edges = Mapping[int, Mapping[int, Mapping[int, Mapping[str, int]]]]
"""The data of edges by node, by the other node, and by key."""

if TYPE_CHECKING:
    _MultiDiGraph = nx.MultiDiGraph[int]
else:
    _MultiDiGraph = nx.MultiDiGraph

PARAMETER: Final = "Parameter"
RESULT: Final = "Result"
READ_VALUE: Final = "ReadValue"

MANY: Final = 16
"""The number of outputs above which the consumers of a node are sorted by output once."""


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


class NodeInfo(NamedTuple):
    """The content of the ``<rt_info>`` of a layer, and those of its ports; ports without any may be left out."""

    layer: Info = ()
    inputs: tuple[Info, ...] = ()
    outputs: tuple[Info, ...] = ()

    def texts(self) -> dict[tuple[str, str], str]:
        """Return the entries as texts by place, such as ``layer`` and ``output 0``, and by name."""
        places = [("layer", self.layer)]
        places += [(f"input {index}", info) for index, info in enumerate(self.inputs)]
        places += [(f"output {index}", info) for index, info in enumerate(self.outputs)]
        return {(place, name): text for place, info in places for name, text in texts(info).items()}


NO_INFO: Final = NodeInfo()


class Node(NamedTuple):
    """A layer as an operation; ``op`` is None where the layer could not be bound.

    ``inputs`` and ``outputs`` count its ports, ``names`` are the tensor names of each output. ``layer`` is the element
    that it was made from, ``info`` its runtime information. ``output_names`` are those that a Result gives the output
    of the model; it has the names of the tensor where there are none.
    """

    id: int
    name: str
    type: str
    version: str
    op: Op | None
    inputs: int
    outputs: int
    names: tuple[tuple[str, ...], ...]
    layer: LayerElement | None
    bodies: Mapping[str, Body]
    info: NodeInfo = NO_INFO
    output_names: tuple[str, ...] = ()


class GraphEnds(NamedTuple):
    """The ids of the Parameters and Results, in order, and of the sinks: nodes that are computed for their effect."""

    parameters: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    sinks: tuple[int, ...] = ()


class _NodeData(dict[str, str]):
    """The data of a node for networkx, texts that each of its writers takes, and the record beside them."""

    __slots__ = ("record",)
    record: Node


class _GraphData(dict[str, Any]):
    """The data of a graph for networkx, without entries of its own, and the ends beside them."""

    ends: GraphEnds = GraphEnds()


class Graph(_MultiDiGraph):
    """A networkx MultiDiGraph of layers.

    Each node is a layer id, in the order of the document, with its ``name``, ``type`` and ``version`` as data; ``node``
    returns its record. Each edge has ``from_port`` and ``to_port``, counted from 0 among outputs and among inputs; the
    latter is also its key, since an input has one edge. All data are texts and numbers, so that every writer of
    networkx takes the graph; records and ``ends`` are beside them, and ``copy`` and ``subgraph`` keep both.

    ``bind`` and ``MutableGraph.freeze`` return frozen graphs (``networkx.freeze``), which all that is made from them
    shares.
    """

    graph: _GraphData
    graph_attr_dict_factory: ClassVar[type[_GraphData]] = _GraphData
    node_attr_dict_factory: ClassVar[type[_NodeData]] = _NodeData

    _node: dict[int, _NodeData]
    _pred: _Edges
    _succ: _Edges
    _order: tuple[int, ...] | None = None

    @staticmethod
    def of(
        nodes: Iterable[Node],
        sources: Mapping[int, Sequence[Outlet | None]],
        parameters: Iterable[int],
        results: Iterable[int],
        sinks: Iterable[int],
    ) -> Graph:
        """Return a frozen graph of nodes; ``sources`` are the outlets that feed the inputs of each."""
        graph = Graph()
        graph.ends = GraphEnds(tuple(parameters), tuple(results), tuple(sinks))
        for node in nodes:
            graph.put(node)
        for id, outlets in sources.items():
            for port, outlet in enumerate(outlets):
                if outlet is not None:
                    graph.connect(outlet, Inlet(id, port))
        return graph.freeze()

    # -- reading

    @property
    def ends(self) -> GraphEnds:
        """The Parameters, Results and sinks."""
        return self.graph.ends

    @ends.setter
    def ends(self, ends: GraphEnds) -> None:
        self.graph.ends = ends

    @property
    def parameters(self) -> tuple[int, ...]:
        """The Parameters, in the order of the inputs."""
        return self.graph.ends.parameters

    @property
    def results(self) -> tuple[int, ...]:
        """The Results, in the order of the outputs."""
        return self.graph.ends.results

    @property
    def sinks(self) -> tuple[int, ...]:
        """The other nodes that are computed for their effect, such as Assign."""
        return self.graph.ends.sinks

    def node(self, id: int) -> Node:
        """Return the record of a node."""
        return self._node[id].record

    @property
    def topological_order(self) -> tuple[int, ...]:
        """The ids in topological order, which follows the document where the edges leave a choice.

        Nodes in cycles, and those that depend on them, are left out.
        """
        if not nx.is_frozen(self):
            return self._topological()
        if self._order is None:
            self._order = self._topological()
        return self._order

    def _topological(self) -> tuple[int, ...]:
        """Return what ``networkx.lexicographical_topological_sort`` returns for equal keys, in a fifth of its time."""
        ids = list(self)
        places = {id: place for place, id in enumerate(ids)}
        waiting = {id: len(sources) for id, sources in self._pred.items()}
        ready = [places[id] for id, count in waiting.items() if not count]
        found: list[int] = []
        while ready:
            id = ids[heapq.heappop(ready)]
            found.append(id)
            for consumer in self._succ[id]:
                waiting[consumer] -= 1
                if not waiting[consumer]:
                    heapq.heappush(ready, places[consumer])
        return tuple(found)

    def ordered(self) -> Iterator[Node]:
        """Yield the nodes in topological order."""
        return iter([self._node[id].record for id in self.topological_order])

    def sources(self, id: int) -> tuple[Outlet | None, ...]:
        """Return the outlet that feeds each input of a node, None for an unconnected input."""
        found: list[Outlet | None] = [None] * self._node[id].record.inputs
        for source, edges in self._pred[id].items():
            for port, edge in edges.items():
                found[port] = Outlet(source, edge["from_port"])
        return tuple(found)

    def consumers(self, outlet: Outlet) -> list[Inlet]:
        """Return the inputs that an outlet feeds."""
        if nx.is_frozen(self) and self.node(outlet.node).outputs > MANY:
            return list(self._consumers(outlet.node).get(outlet.port, ()))
        return [inlet for port, inlet in self.fed(outlet.node) if port == outlet.port]

    def _consumers(self, id: int) -> Mapping[int, Collection[Inlet]]:
        """Return the inputs that a node of many outputs feeds, by output, so that asking for each output is linear."""
        if id not in self._fans:
            self._fans[id] = self.fan(id)
        return self._fans[id]

    def fan(self, id: int) -> dict[int, dict[Inlet, None]]:
        """Return the inputs that a node feeds, in order, by the index of the output that feeds them."""
        found: dict[int, dict[Inlet, None]] = {}
        for port, inlet in self.fed(id):
            found.setdefault(port, {})[inlet] = None
        return found

    @functools.cached_property
    def _fans(self) -> dict[int, Mapping[int, Collection[Inlet]]]:
        return {}

    def fed(self, id: int) -> Iterator[tuple[int, Inlet]]:
        """Yield the inputs that a node feeds, each with the index of the output that feeds it."""
        for target, edges in self._succ[id].items():
            for port, edge in edges.items():
                yield edge["from_port"], Inlet(target, port)

    def upstream(self, ids: Iterable[int], known: Collection[int] = ()) -> set[int]:
        """Return some nodes and all that they depend on; ``known`` nodes depend on nothing."""
        backward: nx.MultiDiGraph[int] = nx.reverse_view(self)  # type: ignore[type-var]
        if known:
            backward = nx.subgraph_view(backward, filter_edge=lambda id, _source, _port: id not in known)
        return {id for layer in nx.bfs_layers(backward, ids) for id in layer}

    def dependencies(self, known: Collection[int] = ()) -> set[int]:
        """Return the Parameters, and the nodes that Results and sinks depend on; ``known`` nodes depend on nothing."""
        return self.upstream((*self.results, *self.sinks), known).union(self.parameters)

    def downstream(self, ids: Iterable[int]) -> set[int]:
        """Return some nodes and all that depend on them."""
        return {id for layer in nx.bfs_layers(self, ids) for id in layer}

    def cycles(self) -> list[list[int]]:
        """Return one cycle for each group of mutually dependent nodes, which begins with the lowest id."""
        if len(self.topological_order) == len(self):
            return []
        rings = []
        for group in nx.strongly_connected_components(self):
            inner = self.subgraph(group)
            if inner.number_of_edges():
                ring = [edge[0] for edge in nx.find_cycle(inner, min(group))]
                begin = ring.index(min(ring))
                rings.append(ring[begin:] + ring[:begin])
        return sorted(rings)

    def without(self, ids: Iterable[int]) -> Graph:
        """Return a frozen graph without some nodes."""
        graph = self.copy()
        graph.remove_nodes_from(ids)
        return graph.freeze()

    def with_nodes(self, nodes: Iterable[Node]) -> Graph:
        """Return a frozen graph with other records of some nodes."""
        graph = self.copy()
        for node in nodes:
            graph.put(node)
        return graph.freeze()

    def walk(self) -> Iterator[Node]:
        """Yield every node, including those of bodies, a node before its bodies."""
        for node in self.ordered():
            yield node
            for body in node.bodies.values():
                yield from body.graph.walk()

    def copy(self, as_view: bool = False) -> Graph:
        """Return a copy that is not frozen, or a view."""
        made = super().copy(as_view)
        if not as_view:
            made.ends = self.ends
            for id in self:
                made._node[id].record = self._node[id].record
        return made

    # -- writing, before the graph is frozen

    def put(self, node: Node) -> None:
        """Add a node, or replace the record of the node with its id."""
        self.add_node(node.id, name=node.name, type=node.type, version=node.version)
        self._node[node.id].record = node

    def connect(self, outlet: Outlet, inlet: Inlet) -> None:
        """Feed an input that has no edge from an outlet."""
        self.add_edge(outlet.node, inlet.node, key=inlet.port, from_port=outlet.port, to_port=inlet.port)

    def freeze(self, order: tuple[int, ...] | None = None) -> Graph:
        """Forbid changes, and return the graph; ``order`` is the topological order where it is known."""
        nx.freeze(self)
        self._order = self._order if order is None else order
        return self
