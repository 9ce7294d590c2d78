"""Plans specialised for the actual shapes of inputs, for models with dynamic shapes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from irrun.diagnostics import IRError, Severity
from irrun.document.weights import Weights
from irrun.editing import MutableGraph
from irrun.graph import Graph, Outlet
from irrun.inference import Facts, infer
from irrun.optimize import Settings
from irrun.runtime import Plan, plan
from irrun.runtime.peak import MemoryCheck, check_memory
from irrun.runtime.soundness import sound, stays_sound
from irrun.tensor import Array, Fact, Shape

if TYPE_CHECKING:
    from irrun.model.sizes import Sizes

MOST_PLANS: Final = 8

MOST_SIZES: Final = 256
"""Sets of input shapes that are remembered as sound."""


class Plans:
    """The general plan of a model, and plans for input shapes that occurred twice in a row.

    They share their constants; the least recently used one is forgotten first. Shapes that change from call to call, as
    the length of the mask of a language model does, run by the general plan.

    Shapes are inferred before NumPy runs them, and where a program for them fails, so that inputs that do not fit
    together are refused in the words of inference. It looks again only at what the shapes before, or at first those of
    the file, had otherwise, as for a length that grows by one.
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
        self._last: tuple[Sizes, Facts] | None = None
        self._special: OrderedDict[Sizes, Plan] = OrderedDict()
        self._before: Sizes | None = None

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
        if self._has_unknown_rank:
            self._check(sizes)
        else:
            self._memory.check(sizes)
        found = self._special.get(sizes)
        if found is None and sizes == self._before:
            found = self._planned(sizes)
        if found is not None:
            self._special[sizes] = self._special.pop(sizes, found)
        self._before = sizes
        plan = self.whole if found is None else found
        return plan, _fits_always if self._has_unknown_rank else partial(self._check, sizes, has_memory=True)

    def fitting(self, usual: int) -> Sizes | None:
        """Return shapes of all inputs that fit together, with open dims of a usual size where possible."""
        from irrun.model.sizes import fitting_sizes

        return fitting_sizes(self._graph, self._facts, self._weights, usual=usual)

    def _check(self, sizes: Sizes, *, has_memory: bool = False) -> None:
        """Raise IRError where inputs of these sizes do not fit together, or lack memory, unless that is checked."""
        if sizes in self._sound:
            return
        facts = self._fitting(sizes)
        try:
            if self._has_unknown_rank:
                check_memory(self._planned(sizes), sizes)
            elif not has_memory:
                self._memory.check(sizes)
        except IRError as error:
            raise IRError(error.diagnostics, self._filename) from None
        self._last = sizes, facts
        self._sound[sizes] = None
        while len(self._sound) > MOST_SIZES:
            self._sound.popitem(last=False)

    def _fitting(self, sizes: Sizes) -> Facts:
        """Return the facts for inputs of these sizes; IRError with the findings of inference if they do not fit."""
        last = self._last
        if last is None:
            before, facts = self._facts, self._inferred(sizes)
            changed = {outlet for outlet, fact in facts.of.items() if fact is not before.of.get(outlet)}
        else:
            before = last[1]
            edited = MutableGraph(self._graph, before, self._weights, self._places)
            for id, fact in self._closed(sizes).items():
                edited.give(id, [fact])
            _, facts = edited.freeze()
            changed = edited.changed
        if not facts.diagnostics and stays_sound(before, facts, changed):
            return facts
        if last is not None:
            facts = self._inferred(sizes)
        try:
            sound(self._graph, facts)
        except IRError as error:
            found = [item for item in facts.diagnostics if item.severity is Severity.ERROR]
            raise IRError(found or error.diagnostics, self._filename) from None
        return facts

    def _inferred(self, sizes: Sizes) -> Facts:
        return infer(self._graph, self._weights, self._closed(sizes), before=self._facts)

    def _closed(self, sizes: Sizes) -> dict[int, Fact]:
        """Return the facts of the Parameters with these sizes."""
        return {id: Fact(fact.type, Shape(shape)) for (id, fact), shape in zip(self._given.items(), sizes, strict=True)}

    def _planned(self, sizes: Sizes) -> Plan:
        """Return the plan for some sizes, made on first use; the least recently used one is forgotten."""
        found = self._special.get(sizes)
        if found is None:
            found = self._special[sizes] = self._specialized(sizes)
            while len(self._special) > MOST_PLANS:
                self._special.popitem(last=False)
        return found

    def _specialized(self, sizes: Sizes) -> Plan:
        """Return the plan for some sizes; the general one where inference does not tell that they fit."""
        whole, last = self.whole, self._last
        facts = last[1] if last is not None and last[0] == sizes else self._inferred(sizes)
        try:
            return plan(self._graph, facts, self._settings, whole.constants, self._facts, whole.budget, whole=False)
        except IRError:
            return self.whole


def _fits_always() -> None:
    """Check inputs that are known to fit."""
