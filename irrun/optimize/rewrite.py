"""The only way to edit a graph: patches, each of which must keep the type and the shape of what it replaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import Inlet
from irrun.graph.join import order
from irrun.inference import Facts
from irrun.ops import Op
from irrun.ops.calling import infer
from irrun.ops.fused.base import Fused
from irrun.optimize.packed import Packed
from irrun.tensor import Array, Fact


class PatchError(Exception):
    """A patch that would change what a graph means: a fault of the pass that made it."""


class Rewriter:
    """A graph under change, with the facts of every outlet and the values of those that no input changes.

    Passes look at it through ``nodes``, ``sources``, ``consumers``, ``fact``, ``constant`` and ``packed``, and change
    it through ``add`` and ``replace`` only. ``freeze`` makes a new graph; the one that it began from is not touched.
    """

    def __init__(
        self,
        graph: Graph,
        facts: Facts,
        known: Mapping[Outlet, Array],
        packed: Mapping[Outlet, Packed] | None = None,
    ) -> None:
        self._graph = graph
        self._base = facts
        self._nodes = {node.id: node for node in graph}
        self._sources: dict[int, list[Outlet | None]] = {id: list(graph.sources(id)) for id in self._nodes}
        self._facts = dict(facts.of)
        self._known = dict(known)
        self._packed = packed if packed is not None else {}
        self._consumers: dict[Outlet, set[Inlet]] = {}
        for id, outlets in self._sources.items():
            for port, outlet in enumerate(outlets):
                if outlet is not None:
                    self._consumers.setdefault(outlet, set()).add(Inlet(id, port))
        self._next = max(self._nodes, default=0) + 1
        self._results = set(graph.results)
        self.trim()

    # -- looking

    def nodes(self, *types: str) -> Iterator[Node]:
        """The nodes of these types, or all, as they are now, in topological order."""
        for id in self._order():
            node = self._nodes.get(id)
            if node is not None and (not types or (node.type in types and not self._is_cut(node))):
                yield node

    def _is_cut(self, node: Node) -> bool:
        """Whether a node is no more than the values of its outputs."""
        return not self._sources[node.id] and self._is_settled(node)

    def _is_settled(self, node: Node) -> bool:
        outlets = [Outlet(node.id, port) for port in range(node.outputs)]
        return all(outlet in self._known or outlet in self._packed for outlet in outlets)

    def node(self, id: int) -> Node:
        return self._nodes[id]

    def has(self, id: int) -> bool:
        """Whether a node is still there."""
        return id in self._nodes

    def sources(self, id: int) -> Sequence[Outlet | None]:
        return self._sources[id]

    def source(self, id: int, port: int) -> Node | None:
        """The node that feeds an input."""
        outlets = self._sources[id]
        outlet = outlets[port] if port < len(outlets) else None
        return None if outlet is None else self._nodes.get(outlet.node)

    def consumers(self, outlet: Outlet) -> frozenset[Inlet]:
        return frozenset(self._consumers.get(outlet, ()))

    def only_consumer(self, outlet: Outlet) -> Node | None:
        """The one node that takes an outlet, through one input; None where there are more, or where it is a Result."""
        inlets = self._consumers.get(outlet, set())
        if len(inlets) != 1:
            return None
        (inlet,) = inlets
        return None if inlet.node in self._results else self._nodes[inlet.node]

    def fact(self, outlet: Outlet | None) -> Fact | None:
        return None if outlet is None else self._facts.get(outlet)

    def constant(self, outlet: Outlet | None) -> Array | None:
        """The value of an outlet that no input changes."""
        return None if outlet is None else self._known.get(outlet)

    def packed(self, outlet: Outlet | None) -> Packed | None:
        """The value of an outlet that no input changes, where that is in few bits; it has no ``constant`` then."""
        return None if outlet is None else self._packed.get(outlet)

    # -- changing

    def settle(self, outlet: Outlet, value: Array) -> None:
        """Say the value of an outlet that no input changes."""
        self._known[outlet] = value

    def trim(self) -> None:
        """Cut nodes whose outputs are all known from their inputs, and drop what nothing needs any more."""
        for id, node in self._nodes.items():
            if id in self._results or not node.outputs or not self._sources[id]:
                continue
            if self._is_settled(node):
                for port, outlet in enumerate(self._sources[id]):
                    if outlet is not None:
                        self._consumers[outlet].discard(Inlet(id, port))
                self._sources[id] = []
        needed: set[int] = {*self._graph.parameters}
        waiting = [*self._graph.results, *self._graph.sinks]
        while waiting:
            id = waiting.pop()
            if id not in needed:
                needed.add(id)
                waiting += [outlet.node for outlet in self._sources[id] if outlet is not None]
        for id in [id for id in self._nodes if id not in needed]:
            for port, outlet in enumerate(self._sources.pop(id)):
                if outlet is not None:
                    self._consumers[outlet].discard(Inlet(id, port))
            del self._nodes[id]

    def add(self, op: Op, inputs: Sequence[Outlet | None], nodes: Sequence[Node]) -> Outlet:
        """A new node; its first output. It takes name and layer from the first of the nodes that it stands for."""
        id = self._next
        self._next += 1
        instead_of = nodes[0]
        if isinstance(op, Fused):
            op.parts = tuple(part for node in nodes for part in parts(node))
        facts = infer(op, [self.fact(outlet) for outlet in inputs])
        self._nodes[id] = Node(
            id, instead_of.name, op.type, "", op, len(facts), ((),) * len(facts), instead_of.layer, instead_of.bodies
        )
        self._sources[id] = list(inputs)
        for port, outlet in enumerate(inputs):
            if outlet is not None:
                self._consumers.setdefault(outlet, set()).add(Inlet(id, port))
        for port, fact in enumerate(facts):
            self._facts[Outlet(id, port)] = fact
        return Outlet(id, 0)

    def replace(self, old: Outlet, new: Outlet) -> None:
        """Feed from ``new`` all that ``old`` feeds; PatchError where type or shape would change."""
        before, after = self._facts[old], self._facts[new]
        if before.type is not after.type or not before.shape.compatible(after.shape):
            raise PatchError(f"{self._nodes[old.node].name}: {before} would become {after}")
        shape = before.shape.merge(after.shape)
        if shape is not None:
            self._facts[new] = Fact(after.type, shape, after.value)
        for inlet in self._consumers.pop(old, set()):
            self._sources[inlet.node][inlet.port] = new
            self._consumers.setdefault(new, set()).add(inlet)
        self._prune(old.node)

    def _prune(self, id: int) -> None:
        """Drop a node that feeds nothing any more, and what only it needed."""
        waiting = [id]
        ends = {*self._graph.results, *self._graph.parameters, *self._graph.sinks}
        while waiting:
            id = waiting.pop()
            node = self._nodes.get(id)
            if node is None or id in ends:
                continue
            if any(self._consumers.get(Outlet(id, port)) for port in range(node.outputs)):
                continue
            del self._nodes[id]
            for port, outlet in enumerate(self._sources.pop(id)):
                if outlet is not None:
                    self._consumers.get(outlet, set()).discard(Inlet(id, port))
                    waiting.append(outlet.node)

    def freeze(self) -> tuple[Graph, Facts, Mapping[Outlet, Array]]:
        """The graph as it is now, with its facts and constants; what is still taken of packed values is unpacked."""
        for outlet, packed in self._packed.items():
            if self._consumers.get(outlet):
                self._known[outlet] = packed.unpacked()
        graph = Graph(
            self._nodes,
            self._order(),
            {id: tuple(outlets) for id, outlets in self._sources.items()},
            self._graph.parameters,
            self._graph.results,
            self._graph.sinks,
        )
        alive = {outlet: fact for outlet, fact in self._facts.items() if outlet.node in self._nodes}
        facts = Facts(graph, alive, self._base.bodies, self._base.diagnostics)
        known = {outlet: value for outlet, value in self._known.items() if outlet.node in self._nodes}
        return graph, facts, known

    def _order(self) -> list[int]:
        return list(order(list(self._nodes), self._sources))


def parts(node: Node) -> tuple[str, ...]:
    """The names of the layers that a node stands for."""
    return node.op.parts if isinstance(node.op, Fused) else (node.name,)
