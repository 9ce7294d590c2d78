"""The result of inference: a fact for every tensor of a graph."""

from __future__ import annotations

from collections.abc import Mapping

from irrun.diagnostics import Diagnostic
from irrun.graph import Graph, Outlet
from irrun.tensor import Fact


class Facts:
    """The fact of each outlet of a graph.

    Outlets of a layer that failed, and of all layers downstream, are absent. ``bodies`` holds the facts inside each
    sub-graph, by node and tag.
    """

    def __init__(
        self,
        graph: Graph,
        of: Mapping[Outlet, Fact],
        bodies: Mapping[tuple[int, str], Facts],
        diagnostics: tuple[Diagnostic, ...],
    ) -> None:
        self.graph = graph
        self.of = of
        self.bodies = bodies
        self.diagnostics = diagnostics

    def __getitem__(self, outlet: Outlet) -> Fact:
        return self.of[outlet]

    def get(self, outlet: Outlet | None) -> Fact | None:
        return None if outlet is None else self.of.get(outlet)

    def inputs(self, node: int) -> tuple[Fact | None, ...]:
        """Return the fact of each input of a node; None where it is absent."""
        return tuple([self.get(outlet) for outlet in self.graph.sources(node)])

    def outlets(self, node: int) -> tuple[Outlet, ...]:
        """Return the outputs of a node that have a fact."""
        found: list[Outlet] = []
        while (outlet := Outlet(node, len(found))) in self.of:
            found.append(outlet)
        return tuple(found)

    def after(self, earlier: Facts | None) -> Facts:
        """Return these facts with the findings of an earlier pass over the same body: wider facts may hide them.

        What had no fact in the earlier pass has none, and shapes are those of both passes.
        """
        if earlier is None or not earlier.diagnostics:
            return self
        said = {(item.code, item.anchor): item for item in (*self.diagnostics, *earlier.diagnostics)}
        known = {outlet: _either(earlier.of[outlet], fact) for outlet, fact in self.of.items() if outlet in earlier.of}
        bodies = {key: facts.after(earlier.bodies.get(key)) for key, facts in self.bodies.items()}
        return Facts(self.graph, known, bodies, tuple(said.values()))

    def results(self) -> tuple[Fact, ...]:
        """Return the fact of each Result; an unknown one downstream of a layer that failed."""
        sources = [self.graph.sources(node) for node in self.graph.results]
        return tuple([(self.get(outlets[0]) if outlets else None) or Fact.unknown() for outlets in sources])


def _either(earlier: Fact, fact: Fact) -> Fact:
    return fact if earlier.shape == fact.shape else Fact(fact.type, earlier.shape.union(fact.shape))
