"""Plans specialised for the actual shapes of inputs, for models with dynamic shapes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from irrun.diagnostics import IRError, Severity
from irrun.document.weights import Weights
from irrun.editing import MutableGraph
from irrun.graph import Graph, Outlet
from irrun.inference import Facts, infer
from irrun.optimize import Settings
from irrun.runtime import Plan, plan
from irrun.runtime.peak import MemoryCheck, check_memory
from irrun.runtime.soundness import sound, stays_sound
from irrun.tensor import Array, Dim, Fact, Shape

MOST_PLANS: Final = 8

MOST_SIZES: Final = 256
"""Sets of input shapes that are remembered as sound."""

Sizes = tuple[tuple[int, ...], ...]
Pattern = tuple[tuple[int | None, ...], ...]
"""Shapes of all inputs; None for a size that changes."""


class Plans:
    """The general plan of a model, and plans for input shapes that occurred twice in a row.

    Sizes that change from call to call stay open, as the length of the mask of a language model does, once the same
    ones have changed twice in a row. So a sequence that grows with each call is planned once. The plans share their
    constants; the least recently used one is forgotten first.

    Shapes are inferred before they run, so that inputs that do not fit together are refused, unless a program whose
    guards hold for them is found first. Inference looks again only at what the shapes before had otherwise, as for a
    length that grows by one.
    """

    def __init__(
        self, graph: Graph, weights: Weights, facts: Facts, settings: Settings, whole: Plan, filename: str = ""
    ) -> None:
        self.whole = whole
        self._filename = filename
        self._graph = graph
        self._weights = weights
        self._facts = facts
        self._settings = settings
        self._given: Mapping[int, Fact] = {id: facts[Outlet(id, 0)] for id in graph.parameters}
        self._is_open = any(not fact.shape.is_static for fact in self._given.values())
        self._has_unknown_rank = any(fact.rank is None for fact in self._given.values())
        self._sound: OrderedDict[Sizes, None] = OrderedDict()
        self._places = {id: place for place, id in enumerate(graph.topological_order)}
        self._memory = MemoryCheck(whole)
        self._last: Facts | None = None
        self._special: OrderedDict[Pattern, Plan] = OrderedDict()
        self._before: Sizes | None = None
        self._changes: Pattern | None = None

    def of(self, inputs: Sequence[Array]) -> tuple[Plan, Callable[[], None]]:
        """Return the plan for these inputs, and a check that they fit together, which is due unless a program tells.

        The check raises IRError with the findings of inference.
        """
        if not self._is_open:
            return self.whole, _fits_always
        sizes = tuple([array.shape for array in inputs])
        if not self._settings.enabled:
            self._check(sizes)
            self._before = sizes
            return self.whole, _fits_always
        pattern = None if self._before is None else _common(self._before, sizes)
        found = self._special.get(sizes)
        repeats = pattern is not None and (sizes == self._before or pattern == self._changes)
        if found is None and pattern is not None and repeats:
            found = self._special.get(pattern)
        if self._has_unknown_rank:
            self._check(sizes)
        else:
            self._memory.check(sizes)
        if found is None and repeats and pattern is not None and self._is_worth(pattern):
            found = self._planned(pattern)
        self._before, self._changes = sizes, pattern
        plan = found if found is not None else self._closest(sizes)
        return plan, _fits_always if self._has_unknown_rank else partial(self._check, sizes)

    def _check(self, sizes: Sizes) -> None:
        if sizes in self._sound:
            return
        facts = self._sound_facts(sizes)
        try:
            if self._has_unknown_rank:
                check_memory(self._planned(sizes), sizes)
            else:
                self._memory.check(sizes)
        except IRError as error:
            raise IRError(error.diagnostics, self._filename) from None
        self._last = facts
        self._sound[sizes] = None
        while len(self._sound) > MOST_SIZES:
            self._sound.popitem(last=False)

    def _sound_facts(self, sizes: Sizes) -> Facts:
        """Return the facts for inputs of these sizes; IRError with the findings of inference if they do not fit."""
        last = self._last
        if last is not None:
            edited = MutableGraph(self._graph, last, self._weights, self._places)
            for id, fact in self._closed(sizes).items():
                edited.give(id, [fact])
            _, again = edited.freeze()
            if not again.diagnostics and stays_sound(last, again, edited.changed):
                return again
        facts = self._inferred(sizes)
        try:
            sound(self._graph, facts)
        except IRError as error:
            found = [item for item in facts.diagnostics if item.severity is Severity.ERROR]
            raise IRError(found or error.diagnostics, self._filename) from None
        return facts

    def _inferred(self, pattern: Pattern) -> Facts:
        return infer(self._graph, self._weights, self._closed(pattern), before=self._facts)

    def _closed(self, pattern: Pattern) -> dict[int, Fact]:
        """Return the facts of the Parameters with the sizes that are known."""
        return {
            id: Fact(fact.type, _closed(fact.shape, sizes))
            for (id, fact), sizes in zip(self._given.items(), pattern, strict=True)
        }

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
        """Return whether a plan for a pattern knows a size that the general plan does not."""
        shapes = [fact.shape for fact in self._given.values()]
        if any(shape.dims is None and None in sizes for shape, sizes in zip(shapes, pattern, strict=True)):
            return False
        return any(
            size is not None and not dim.is_static
            for shape, sizes in zip(shapes, pattern, strict=True)
            for dim, size in zip(shape.dims or [Dim()] * len(sizes), sizes, strict=True)
        )

    def _planned(self, pattern: Pattern) -> Plan:
        """Return the plan for a pattern, made on first use; the least recently used one is forgotten."""
        found = self._special.get(pattern)
        if found is None:
            found = self._special[pattern] = self._specialized(pattern)
            while len(self._special) > MOST_PLANS:
                self._special.popitem(last=False)
        return found

    def _specialized(self, pattern: Pattern) -> Plan:
        """Return the plan for inputs of these sizes; the general one if open sizes contradict each other."""
        try:
            facts, constants = self._inferred(pattern), self.whole.constants
            return plan(self._graph, facts, self._settings, constants, self._facts, self.whole.budget)
        except IRError:
            return self.whole


def _fits_always() -> None:
    """Check inputs that are known to fit."""


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
