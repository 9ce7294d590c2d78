"""Edit a graph by patches, each of which must keep the type and the shape of the outlet that it replaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import Inlet
from irrun.graph.join import order
from irrun.inference import Facts
from irrun.ops import Op
from irrun.ops.calling import infer
from irrun.ops.fused.base import Fused
from irrun.optimize.settings import Settings
from irrun.tensor import Array, Fact

if TYPE_CHECKING:
    from irrun.optimize.packed import Packed


class PatchError(Exception):
    """A patch would change the meaning of a graph: a bug in the pass that made it."""


class Rewriter:
    """A graph that passes edit, with the facts of all outlets and the values of the constant ones.

    Passes read it through ``nodes``, ``sources``, ``consumers``, ``fact``, ``constant`` and ``packed``, and edit it
    only through ``add`` and ``replace``. ``freeze`` returns a new graph; the original is not modified.
    """

    def __init__(
        self,
        graph: Graph,
        facts: Facts,
        known: Mapping[Outlet, Array],
        packed: Mapping[Outlet, Packed] | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings if settings is not None else Settings()
        self.types = {node.type for node in graph}
        """The types of the layers that the graph has or had."""
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

    # -- reading

    def nodes(self, *types: str, views: bool = False) -> Iterator[Node]:
        """Yield the current nodes of these types, or all nodes, in topological order.

        With ``views`` those too whose target shape, axes or permutation do not depend on the elements of inputs: others
        stay, so that their values are checked when they arrive.
        """
        for id in self._order():
            node = self._nodes.get(id)
            if node is None:
                continue
            chosen = node.type in types or (views and self._is_determined_view(node))
            if (not types and not views) or (chosen and not self._is_cut(node)):
                yield node

    def _is_determined_view(self, node: Node) -> bool:
        return node.op is not None and node.op.view and self.is_determined(node)

    def is_determined(self, node: Node) -> bool:
        """Return whether no input but the first has elements that only a run tells."""
        return all(
            outlet is None or outlet in self._known or ((fact := self.fact(outlet)) is not None and fact.is_determined)
            for outlet in self._sources[node.id][1:]
        )

    def _is_cut(self, node: Node) -> bool:
        """Return whether a node has no inputs left because all its outputs are constant."""
        return not self._sources[node.id] and self._is_constant(node)

    def _is_constant(self, node: Node) -> bool:
        outlets = [Outlet(node.id, port) for port in range(node.outputs)]
        return all(outlet in self._known or outlet in self._packed for outlet in outlets)

    def node(self, id: int) -> Node:
        return self._nodes[id]

    def has(self, id: int) -> bool:
        """Return whether a node is still in the graph."""
        return id in self._nodes

    def sources(self, id: int) -> Sequence[Outlet | None]:
        return self._sources[id]

    def source(self, id: int, port: int) -> Node | None:
        """Return the producer of an input."""
        outlets = self._sources[id]
        outlet = outlets[port] if port < len(outlets) else None
        return None if outlet is None else self._nodes.get(outlet.node)

    def consumers(self, outlet: Outlet) -> frozenset[Inlet]:
        return frozenset(self._consumers.get(outlet, ()))

    def only_consumer(self, outlet: Outlet) -> Node | None:
        """Return the only consumer of an outlet; None if it has several, or is a Result."""
        inlets = self._consumers.get(outlet, set())
        if len(inlets) != 1:
            return None
        (inlet,) = inlets
        return None if inlet.node in self._results else self._nodes[inlet.node]

    def fact(self, outlet: Outlet | None) -> Fact | None:
        return None if outlet is None else self._facts.get(outlet)

    def constant(self, outlet: Outlet | None) -> Array | None:
        """Return the value of a constant outlet."""
        return None if outlet is None else self._known.get(outlet)

    def packed(self, outlet: Outlet | None) -> Packed | None:
        """Return the compressed value of a constant outlet, which has no ``constant`` then."""
        return None if outlet is None else self._packed.get(outlet)

    @property
    def has_packed(self) -> bool:
        """Return whether there are compressed values."""
        return bool(self._packed)

    # -- editing

    def set_constant(self, outlet: Outlet, value: Array) -> None:
        """Record the value of a constant outlet."""
        self._known[outlet] = value

    def trim(self) -> None:
        """Detach constant nodes from their inputs, and drop nodes that no Result and no sink depends on."""
        for id, node in self._nodes.items():
            if id in self._results or not node.outputs or not self._sources[id]:
                continue
            if self._is_constant(node):
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
        """Add a node in place of ``nodes``, with the name and the layer of the first; return its first output."""
        id = self._next
        self._next += 1
        instead_of = nodes[0]
        if isinstance(op, Fused):
            op.parts = tuple(part for node in nodes for part in parts(node))
        facts = infer(op, [self.fact(outlet) for outlet in inputs])
        self.types.add(op.type)
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
        """Feed all consumers of ``old`` from ``new``; PatchError if type or shape would change."""
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
        """Drop a node without consumers, and the producers that only it used."""
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
        """Return the graph, its facts and its constants. Compressed values with consumers left are decompressed."""
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
    """Return the names of the layers that a node replaces."""
    return node.op.parts if isinstance(node.op, Fused) else (node.name,)
