"""Plans specialised for the actual shapes of inputs, for models with dynamic shapes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

from irrun.diagnostics import IRError, Severity
from irrun.document.weights import Weights
from irrun.graph import Graph, Outlet
from irrun.inference import Facts, infer
from irrun.optimize import Settings
from irrun.runtime import Plan, plan
from irrun.tensor import Array, Fact, Shape

MOST_PLANS: Final = 8

Sizes = tuple[tuple[int, ...], ...]


class Plans:
    """The general plan of a model, and plans for input shapes that occurred twice in a row.

    A sequence that grows with every call thus causes no planning, and a constant size causes it once. The plans share
    their constants; the least recently used one is dropped first.
    """

    def __init__(self, graph: Graph, weights: Weights, facts: Facts, settings: Settings, whole: Plan) -> None:
        self.whole = whole
        self._graph = graph
        self._weights = weights
        self._facts = facts
        self._settings = settings
        self._given: Mapping[int, Fact] = {id: facts[Outlet(id, 0)] for id in graph.parameters}
        self._is_open = settings.enabled and any(not fact.shape.is_static for fact in self._given.values())
        self._special: OrderedDict[Sizes, Plan] = OrderedDict()
        self._before: Sizes | None = None

    def of(self, inputs: Sequence[Array]) -> Plan:
        """Return the plan for these inputs."""
        if not self._is_open:
            return self.whole
        sizes = tuple(array.shape for array in inputs)
        found = self._special.get(sizes)
        if found is None and sizes == self._before:
            found = self._special[sizes] = self._specialized(sizes)
            while len(self._special) > MOST_PLANS:
                self._special.popitem(last=False)
        elif found is not None and sizes != self._before:
            self._special[sizes] = self._special.pop(sizes, found)
        self._before = sizes
        return found if found is not None else self.whole

    def _specialized(self, sizes: Sizes) -> Plan:
        """Return the plan for inputs of these sizes; the general one, which reports faults, where they do not fit."""
        pairs = zip(self._given.items(), sizes, strict=True)
        given = {id: Fact(fact.type, Shape(shape)) for (id, fact), shape in pairs}
        facts = infer(self._graph, self._weights, given)
        if any(item.severity is Severity.ERROR for item in facts.diagnostics):
            return self.whole
        try:
            return plan(self._graph, facts, self._settings, self.whole.constants, self._facts)
        except IRError:
            return self.whole
