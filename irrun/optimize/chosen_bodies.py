"""Put the layers of a body in the place of an If whose condition is known, so that passes and kernels see them.

Before: If(false, x) {then_body: …, else_body: Parameter → ShapeOf → Range → Result}
After:  ShapeOf(x) → Range
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from irrun.graph import Graph, Node, Outlet
from irrun.inference import Facts
from irrun.ops.context import BodyOutput
from irrun.tensor import Fact
from irrun.tensor.same import is_same

BODIES: Final = "else_body", "then_body"


def with_chosen_bodies(graph: Graph, facts: Facts, declared: Facts) -> tuple[Graph, Facts, Facts]:
    """Return a graph without those If, its facts, and what the file itself tells of it.

    The layers of a body have new ids; all others keep theirs. A body that writes variables stays as it is.
    """
    choices = [node for node in graph.ordered() if node.type == "If"]
    chosen = {node.id: tag for node in choices if (tag := _chosen(node, facts)) is not None}
    if not chosen:
        return graph, facts, declared
    grafter = _Grafter(graph, facts, declared)
    for node in graph.ordered():
        if node.id in chosen:
            grafter.graft(node, chosen[node.id])
        else:
            grafter.keep(node)
    return grafter.grafted()


def _chosen(node: Node, facts: Facts) -> str | None:
    """Return the tag of the body that an If always runs, if its layers can take the place of the node."""
    condition = facts.inputs(node.id)[0]
    value = None if condition is None else condition.constant
    if value is None or value.size != 1:
        return None
    tag = BODIES[int(value.reshape(-1)[0])]
    body, inner = node.bodies.get(tag), facts.bodies.get((node.id, tag))
    if body is None or inner is None or inner.diagnostics or body.graph.sinks:
        return None
    arriving = facts.inputs(node.id)
    fed = {entry.internal: entry.external for entry in body.ports.inputs}
    for index, parameter in enumerate(body.graph.parameters):
        external = fed.get(index)
        if external is None or not _agree(inner.get(Outlet(parameter, 0)), arriving[external]):
            return None
    leaving = [facts[outlet] for outlet in facts.outlets(node.id)]
    results = inner.results()
    entries = [results[entry.internal] for entry in _outputs(node, tag)]
    agree = len(entries) == len(leaving) and all(map(_agree, entries, leaving))
    return tag if agree else None


def _agree(a: Fact | None, b: Fact | None) -> bool:
    return a is not None and b is not None and is_same(a, b)


def _outputs(node: Node, tag: str) -> Sequence[BodyOutput]:
    """Return the entries of the port map in the order of the outputs of the node."""
    return sorted(node.bodies[tag].ports.outputs, key=lambda entry: entry.external or 0)


class _Grafter:
    """Collects the nodes of a graph, and those of the bodies that take the place of others."""

    def __init__(self, graph: Graph, facts: Facts, declared: Facts) -> None:
        self._graph, self._facts, self._declared = graph, facts, declared
        self._nodes: list[Node] = []
        self._sources: dict[int, list[Outlet | None]] = {}
        self._of: dict[Outlet, Fact] = {}
        self._told: dict[Outlet, Fact] = {}
        self._bodies: dict[tuple[int, str], Facts] = {}
        self._told_bodies: dict[tuple[int, str], Facts] = {}
        self._moved: dict[Outlet, Outlet | None] = {}
        self._next = max(graph) + 1

    def keep(self, node: Node) -> None:
        """Take a node over as it is."""
        sources = [self._resolved(source) for source in self._graph.sources(node.id)]
        self._take(node, node.id, sources, self._facts, self._declared)

    def graft(self, node: Node, tag: str) -> None:
        """Take over the layers of a body under new ids."""
        body, key = node.bodies[tag], (node.id, tag)
        inner = self._facts.bodies[key]
        graph, facts, declared = with_chosen_bodies(body.graph, inner, self._declared.bodies.get(key, inner))
        outer = [self._resolved(source) for source in self._graph.sources(node.id)]
        moved: dict[Outlet, Outlet | None] = {}
        for entry in body.ports.inputs:
            assert entry.external is not None
            moved[Outlet(graph.parameters[entry.internal], 0)] = outer[entry.external]
        ends = {*graph.parameters, *graph.results}
        for each in graph.ordered():
            if each.id not in ends:
                moved.update({outlet: Outlet(self._next, outlet.port) for outlet in facts.outlets(each.id)})
                sources = [None if source is None else moved[source] for source in graph.sources(each.id)]
                self._take(each, self._next, sources, facts, declared)
                self._next += 1
        for port, entry_out in enumerate(_outputs(node, tag)):
            (source,) = graph.sources(graph.results[entry_out.internal])
            self._moved[Outlet(node.id, port)] = None if source is None else moved[source]

    def _take(self, node: Node, id: int, sources: list[Outlet | None], facts: Facts, declared: Facts) -> None:
        self._nodes.append(node._replace(id=id))
        self._sources[id] = sources
        for outlet in facts.outlets(node.id):
            self._of[Outlet(id, outlet.port)] = facts[outlet]
            self._told[Outlet(id, outlet.port)] = declared.get(outlet) or facts[outlet]
        for tag in node.bodies:
            for given, taken in ((facts, self._bodies), (declared, self._told_bodies)):
                if (node.id, tag) in given.bodies:
                    taken[id, tag] = given.bodies[node.id, tag]

    def _resolved(self, source: Outlet | None) -> Outlet | None:
        return None if source is None else self._moved.get(source, source)

    def grafted(self) -> tuple[Graph, Facts, Facts]:
        old = self._graph
        graph = Graph.of(self._nodes, self._sources, old.parameters, old.results, old.sinks)
        return (
            graph,
            Facts(graph, self._of, self._bodies, self._facts.diagnostics),
            Facts(graph, self._told, self._told_bodies, self._declared.diagnostics),
        )
