"""A graph under edits, with the facts of its outlets."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from heapq import heappop, heappush
from typing import Final

import networkx as nx

from irrun.diagnostics import Diagnostic, OpError
from irrun.document.places import op_diagnostic
from irrun.document.weights import Weights
from irrun.graph import Graph, Node, Outlet
from irrun.graph.graph import MANY, Inlet
from irrun.inference import Facts, infer_node
from irrun.inference.infer import input_notes
from irrun.tensor import Fact
from irrun.tensor.same import is_same

NO_WEIGHTS: Final = Weights(None, b"")
"""The weights of a graph whose constants are in no file, so that none of them is unknown."""


class EditError(Exception):
    """An edit would leave a graph that cannot exist: an input of no node, a second edge of an input, a lost source."""


class MutableGraph:
    """A networkx graph of layers that edits change, and the facts of its outlets.

    ``add``, ``connect``, ``replace``, ``feed``, ``update`` and ``remove`` are the edits; EditError where one names a
    node or a port that is not there. Each costs by what it touches. A node
    whose inputs have other facts than before is stale until ``infer`` computes its facts again, and those of the nodes
    behind it as far as they differ. ``freeze`` returns the graph and its facts as values that never change: the graph
    is frozen then, and the next edit works on a copy. ``changed`` are the outlets whose facts differ from the first.
    ``places`` are those of the nodes in the topological order, where they are known already.
    """

    def __init__(
        self,
        graph: Graph,
        facts: Facts,
        weights: Weights = NO_WEIGHTS,
        places: dict[int, int] | None = None,
    ) -> None:
        self.graph: Graph = graph
        self.facts: dict[Outlet, Fact] = dict(facts.of)
        self.bodies: dict[tuple[int, str], Facts] = dict(facts.bodies)
        self.weights = weights
        self.changed: set[Outlet] = set()
        self._stale = _unknown(graph, facts) if facts.diagnostics else set()
        self._faulty: dict[int, OpError] = {}
        self._order: tuple[int, ...] | None = None
        self._has_removed = False
        self._places = places
        self._leads_back = False
        self._next = max(graph, default=0) + 1
        self._fans: dict[int, dict[int, dict[Inlet, None]]] = {}

    # -- reading

    def has(self, id: int) -> bool:
        """Return whether a node is in the graph."""
        return id in self.graph

    def node(self, id: int) -> Node:
        """Return the record of a node."""
        return self.graph.node(id)

    @property
    def order(self) -> tuple[int, ...]:
        """The ids in topological order, new nodes as late as possible; without those in or behind a cycle."""
        if self._order is None:
            self._order = self.graph.topological_order
        elif self._has_removed:
            self._order = tuple([id for id in self._order if id in self.graph])
        self._has_removed = False
        return self._order

    def sources(self, id: int) -> tuple[Outlet | None, ...]:
        """Return the outlet that feeds each input of a node, None for an unconnected input."""
        return self.graph.sources(id)

    def source(self, id: int, port: int) -> Node | None:
        """Return the producer of an input."""
        outlets = self.sources(id)
        outlet = outlets[port] if port < len(outlets) else None
        return None if outlet is None else self.node(outlet.node)

    def consumers(self, outlet: Outlet) -> list[Inlet]:
        """Return the inputs that an outlet feeds."""
        if outlet.node not in self.graph:
            return []
        if nx.is_frozen(self.graph) or self.node(outlet.node).outputs <= MANY:
            return self.graph.consumers(outlet)
        if outlet.node not in self._fans:
            self._fans[outlet.node] = self.graph.fan(outlet.node)
        return list(self._fans[outlet.node].get(outlet.port, ()))

    def fact(self, outlet: Outlet | None) -> Fact | None:
        """Return what is known of an outlet."""
        return None if outlet is None else self.facts.get(outlet)

    def inputs(self, id: int) -> list[Fact | None]:
        """Return what is known of the inputs of a node."""
        return [self.fact(outlet) for outlet in self.sources(id)]

    def outputs(self, id: int) -> list[Outlet]:
        """Return the outlets of a node: those that the file declares, or that inference found, where these are more."""
        found = [Outlet(id, port) for port in range(self.graph.node(id).outputs)]
        while Outlet(id, len(found)) in self.facts:
            found.append(Outlet(id, len(found)))
        return found

    # -- editing

    def add(self, node: Node, inputs: Sequence[Outlet | None], facts: Sequence[Fact] | None = None) -> int:
        """Add a node under a new id, which is returned; its facts are inferred where they are not given.

        EditError where an input does not exist; OpError where the inputs do not fit the operation.
        """
        for outlet in inputs:
            self._require(outlet)
        self._thaw()
        id = self._next
        known = facts
        if known is None:
            arriving = [None if outlet is None else self.facts.get(outlet, Fact.unknown()) for outlet in inputs]
            known, bodies = infer_node(node, arriving, self.weights)
            self.bodies.update({(id, tag): inner for (_, tag), inner in bodies.items()})
        self._next += 1
        names = (*node.names, *((),) * (len(known) - len(node.names)))
        self.graph.put(node._replace(id=id, inputs=len(inputs), outputs=max(node.outputs, len(known)), names=names))
        for port, outlet in enumerate(inputs):
            if outlet is not None:
                self._join(outlet, Inlet(id, port))
        self.facts.update({Outlet(id, port): fact for port, fact in enumerate(known)})
        if self._places is not None:
            self._places[id] = max((self._places.get(item.node, 0) for item in inputs if item is not None), default=0)
        self._order = None
        return id

    def update(self, node: Node) -> None:
        """Replace the record of a node; it is stale where the operation or the bodies are others."""
        self._require_node(node.id)
        self._thaw()
        before = self.node(node.id)
        self.graph.put(node)
        if before.op is not node.op or before.bodies is not node.bodies:
            self._stale.add(node.id)

    def connect(self, outlet: Outlet, inlet: Inlet) -> None:
        """Feed an input from an outlet, instead of from the one that feeds it now; EditError where one is missing."""
        self._require(outlet)
        if inlet.node not in self.graph or not 0 <= inlet.port < self.node(inlet.node).inputs:
            raise EditError(f"there is no input {inlet.port} of node {inlet.node}")
        before = self.sources(inlet.node)[inlet.port]
        if before != outlet:
            self._feed(outlet, inlet, before)
            self._look_back(outlet, inlet.node)
            if _differ(self.fact(before), self.fact(outlet)):
                self._stale.add(inlet.node)

    def replace(self, old: Outlet, new: Outlet) -> None:
        """Feed all consumers of ``old`` from ``new``; EditError where one is missing."""
        self._require(old)
        self._require(new)
        is_stale = _differ(self.fact(old), self.fact(new))
        for inlet in self.consumers(old):
            self._feed(new, inlet, old)
            self._look_back(new, inlet.node)
            if is_stale:
                self._stale.add(inlet.node)

    def _feed(self, outlet: Outlet, inlet: Inlet, before: Outlet | None) -> None:
        self._thaw()
        if before is not None:
            self._part(before, inlet)
        self._join(outlet, inlet)
        self._order = None

    def _join(self, outlet: Outlet, inlet: Inlet) -> None:
        self.graph.connect(outlet, inlet)
        if outlet.node in self._fans:
            self._fans[outlet.node].setdefault(outlet.port, {})[inlet] = None

    def _part(self, outlet: Outlet, inlet: Inlet) -> None:
        self.graph.remove_edge(outlet.node, inlet.node, inlet.port)
        if outlet.node in self._fans:
            del self._fans[outlet.node][outlet.port][inlet]

    def feed(self, id: int, outlets: Sequence[Outlet | None]) -> None:
        """Feed a node from other outlets, as many as there are; EditError where one is missing."""
        self._require_node(id)
        for outlet in outlets:
            self._require(outlet)
        self._thaw()
        for port, outlet in enumerate(self.sources(id)):
            if outlet is not None:
                self._part(outlet, Inlet(id, port))
        self.graph.put(self.node(id)._replace(inputs=len(outlets)))
        for port, outlet in enumerate(outlets):
            if outlet is not None:
                self._join(outlet, Inlet(id, port))
                self._look_back(outlet, id)
        self._stale.add(id)
        self._order = None

    def remove(self, ids: Iterable[int]) -> None:
        """Remove nodes; EditError where another node consumes an output of one."""
        gone = set(ids)
        if not gone:
            return
        for id in gone:
            self._require_node(id)
        self._thaw()
        for id in gone:
            other = next((target for target in self.graph.successors(id) if target not in gone), None)
            if other is not None:
                raise EditError(f'"{self.node(other).name}" consumes an output of "{self.node(id).name}"')
        for id in gone:
            for outlet in self.outputs(id):
                self.facts.pop(outlet, None)
            for tag in self.graph.node(id).bodies:
                self.bodies.pop((id, tag), None)
        for id in gone:
            for port, source in enumerate(self.sources(id) if self._fans else ()):
                if source is not None:
                    self._part(source, Inlet(id, port))
            self._fans.pop(id, None)
        self.graph.remove_nodes_from(gone)
        self._stale -= gone
        self._has_removed = True

    def remove_unused(self, ids: Iterable[int], kept: Container[int] = ()) -> None:
        """Remove those of some nodes that nothing consumes, then the producers that only they used, except ``kept``."""
        waiting = list(ids)
        while waiting:
            id = waiting.pop()
            if id in self.graph and id not in kept and not self.graph.out_degree(id):
                waiting += self.graph.predecessors(id)
                self.remove([id])

    def _thaw(self) -> None:
        """Make the graph one that can be changed."""
        if nx.is_frozen(self.graph):
            self.graph = self.graph.copy()
            self._fans = {}
            self._places = None if self._places is None else dict(self._places)

    def _require_node(self, id: int) -> None:
        if id not in self.graph:
            raise EditError(f"there is no node {id}")

    def _require(self, outlet: Outlet | None) -> None:
        if outlet is None or outlet in self.facts:
            return
        if outlet.node not in self.graph or outlet.port >= self.node(outlet.node).outputs:
            raise EditError(f"there is no output {outlet.port} of node {outlet.node}")

    # -- facts

    def touch(self, id: int) -> None:
        """Let ``infer`` compute the facts of a node again."""
        self._stale.add(id)

    def give(self, id: int, facts: Sequence[Fact]) -> None:
        """Set the facts of the outputs of a node, such as a Parameter; consumers are stale where facts differ."""
        self._stale.discard(id)
        self._faulty.pop(id, None)
        self._stale.update(self._set_facts(id, facts))

    def _set_facts(self, id: int, facts: Sequence[Fact]) -> list[int]:
        """Set the facts of a node; return the consumers of those that differ from before."""
        known = {Outlet(id, port): fact for port, fact in enumerate(facts)}
        outlets = known.keys() | self.outputs(id)
        changed = {outlet for outlet in outlets if _differ(self.facts.get(outlet), known.get(outlet))}
        for outlet in changed:
            self.facts.pop(outlet, None)
        self.facts.update(known)
        self.changed |= changed
        return [inlet.node for port, inlet in self.graph.fed(id) if Outlet(id, port) in changed] if changed else []

    def infer(self) -> None:
        """Infer the facts of stale nodes, and of the nodes behind them as far as facts differ.

        Each is inferred once, after its inputs; nodes in and behind a cycle stay stale.
        """
        ordered = set(self.order) if self.is_cyclic else self.graph
        waiting = sorted(self._place(id) for id in self._stale if id in ordered)
        while waiting:
            _, id = heappop(waiting)
            if id in self._stale:
                self._stale.discard(id)
                for target in self._infer_again(id):
                    if target not in self._stale and target in ordered:
                        self._stale.add(target)
                        heappush(waiting, self._place(target))

    @property
    def is_cyclic(self) -> bool:
        """True if nodes depend on themselves. The graph is searched only where an edge may lead back."""
        if self._leads_back:
            self._places = None
            self._leads_back = len(self.order) < len(self.graph)
        return self._leads_back

    def _place(self, id: int) -> tuple[int, int]:
        """Return a key by which a node comes after its inputs: its place in an earlier topological order, and its id.

        A new node has the place of its last input, and a higher id.
        """
        if self._places is None:
            self._places = {id: place for place, id in enumerate(self.order)}
        return self._places.get(id, 0), id

    def _look_back(self, outlet: Outlet, id: int) -> None:
        """Note an edge to a node that does not come after the other end."""
        self._leads_back = self._leads_back or self._place(outlet.node) >= self._place(id)

    def faults(self, ids: Container[int]) -> tuple[Diagnostic, ...]:
        """Return what is wrong with the inputs of some nodes, or in their bodies."""
        own = [
            op_diagnostic(error, self.node(id).layer, (), input_notes(self.inputs(id)))
            for id, error in self._faulty.items()
            if id in ids
        ]
        inner = [item for (id, _), facts in self.bodies.items() if id in ids for item in facts.diagnostics]
        return (*own, *inner)

    @property
    def is_faulty(self) -> bool:
        """True where the inputs of a node do not fit, or a body has a fault."""
        return bool(self._faulty) or any(facts.diagnostics for facts in self.bodies.values())

    def _infer_again(self, id: int) -> list[int]:
        """Infer the facts of a node; return the consumers of the outlets whose facts differ."""
        node, inputs = self.node(id), self.inputs(id)
        facts: Sequence[Fact] = ()
        self._faulty.pop(id, None)
        if node.op is not None and all(fact is not None for fact in inputs):
            try:
                facts, bodies = infer_node(node, inputs, self.weights)
                self.bodies.update(bodies)
            except OpError as error:
                self._faulty[id] = error
        return self._set_facts(id, facts)

    def freeze(self) -> tuple[Graph, Facts]:
        """Return the graph and its facts, with the faults of its nodes and of those in their bodies."""
        self.infer()
        self.graph.freeze(None if self._order is None else self.order)
        return self.graph, Facts(self.graph, dict(self.facts), dict(self.bodies), self.faults(self.graph))


def _unknown(graph: Graph, facts: Facts) -> set[int]:
    """Return the nodes without facts: those that failed, and those behind them."""
    return {id for id in graph if graph.node(id).outputs and Outlet(id, 0) not in facts.of}


def _differ(before: Fact | None, after: Fact | None) -> bool:
    """Return whether consumers may infer other facts from one fact than from another."""
    if before is None or after is None:
        return before is not after
    return not is_same(before, after)
