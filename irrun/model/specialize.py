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
from irrun.tensor import Array, Dim, Fact, Shape

MOST_PLANS: Final = 8

Sizes = tuple[tuple[int, ...], ...]
Pattern = tuple[tuple[int | None, ...], ...]
"""Shapes of all inputs; None for a size that changes."""


class Plans:
    """The general plan of a model, and plans for input shapes that occurred twice in a row.

    Sizes that change from call to call stay open, as the length of the mask of a language model does, once the same
    ones have changed twice in a row. So a sequence that grows with each call is planned once. The plans share their
    constants; the one that was not used for longest is forgotten first.
    """

    def __init__(self, graph: Graph, weights: Weights, facts: Facts, settings: Settings, whole: Plan) -> None:
        self.whole = whole
        self._graph = graph
        self._weights = weights
        self._facts = facts
        self._settings = settings
        self._given: Mapping[int, Fact] = {id: facts[Outlet(id, 0)] for id in graph.parameters}
        self._is_open = settings.enabled and any(not fact.shape.is_static for fact in self._given.values())
        self._special: OrderedDict[Pattern, Plan] = OrderedDict()
        self._before: Sizes | None = None
        self._changes: Pattern | None = None

    def of(self, inputs: Sequence[Array]) -> Plan:
        """Return the plan for these inputs."""
        if not self._is_open:
            return self.whole
        sizes = tuple([array.shape for array in inputs])
        pattern = None if self._before is None else _common(self._before, sizes)
        found = self._special.get(sizes)
        if found is None and pattern is not None and (sizes == self._before or pattern == self._changes):
            found = self._special.get(pattern)
            if found is None and self._is_worth(pattern):
                found = self._special[pattern] = self._specialized(pattern)
                while len(self._special) > MOST_PLANS:
                    self._special.popitem(last=False)
        self._before, self._changes = sizes, pattern
        return found if found is not None else self._closest(sizes)

    def _closest(self, sizes: Sizes) -> Plan:
        """The plan with the fewest open sizes that these sizes fit."""
        fitting = [pattern for pattern in list(self._special) if _fits(sizes, pattern)]
        if not fitting:
            return self.whole
        pattern = min(fitting, key=lambda one: sum(shape.count(None) for shape in one))
        found = self._special.get(pattern)
        if found is None:
            return self.whole
        self._special[pattern] = self._special.pop(pattern, found)
        return found

    def _is_worth(self, pattern: Pattern) -> bool:
        """Whether a plan for a pattern knows a size that the general one does not."""
        shapes = [fact.shape for fact in self._given.values()]
        if any(shape.dims is None and None in sizes for shape, sizes in zip(shapes, pattern, strict=True)):
            return False
        return any(
            size is not None and not dim.is_static
            for shape, sizes in zip(shapes, pattern, strict=True)
            for dim, size in zip(shape.dims or [Dim()] * len(sizes), sizes, strict=True)
        )

    def _specialized(self, pattern: Pattern) -> Plan:
        """The plan for inputs of these sizes; the general one where they do not fit, so that running says why."""
        given = {
            id: Fact(fact.type, _closed(fact.shape, sizes))
            for (id, fact), sizes in zip(self._given.items(), pattern, strict=True)
        }
        facts = infer(self._graph, self._weights, given)
        if any(item.severity is Severity.ERROR for item in facts.diagnostics):
            return self.whole
        try:
            return plan(self._graph, facts, self._settings, self.whole.constants, self._facts)
        except IRError:
            return self.whole


def _common(a: Sizes, b: Sizes) -> Pattern | None:
    """The sizes that two runs have in common; None where they differ in rank."""
    if a == b:
        return b
    if [len(shape) for shape in a] != [len(shape) for shape in b]:
        return None
    return tuple([tuple([x if x == y else None for x, y in zip(p, q, strict=True)]) for p, q in zip(a, b, strict=True)])


def _fits(sizes: Sizes, pattern: Pattern) -> bool:
    return all(
        len(shape) == len(wanted) and all(b is None or a == b for a, b in zip(shape, wanted, strict=True))
        for shape, wanted in zip(sizes, pattern, strict=True)
    )


def _closed(shape: Shape, sizes: tuple[int | None, ...]) -> Shape:
    """A shape with the sizes that are known."""
    if shape.dims is None:
        return Shape([0 if size is None else size for size in sizes])
    pairs = zip(shape.dims, sizes, strict=True)
    return Shape([dim if size is None else Dim.exactly(size) for dim, size in pairs])
