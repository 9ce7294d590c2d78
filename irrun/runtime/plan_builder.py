"""Collect the calls of a plan: where results should be, and what NumPy computes before and between calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irrun.runtime.arrivals import Arrivals, Unknown
from irrun.runtime.folding import Folding
from irrun.runtime.joins import Joins
from irrun.runtime.lowering.builder import Builder, Interpreted, Packs, Unsupported, Value, has_static_shape
from irrun.runtime.plan import Plan, Step
from irrun.runtime.symbolic import Number
from irrun.runtime.view import View
from irrun.tensor import Array

Shapes = Mapping[tuple[int, ...], Sequence[Array]]
"""The outputs of steps in a run, by the slots of the outputs: hints of sizes that depend on values."""

Compute = Callable[[Step, Sequence[Array | None]], Sequence[Array]]
"""Runs a step on NumPy."""


class Mark(NamedTuple):
    """How many items, stops, and items of each prelude there are."""

    items: int
    stops: int
    preludes: tuple[int, int]


class PlanBuilder(Builder):
    """Collects the calls of the steps of a plan.

    ``values`` are those of its slots, as far as they are lowered. ``preludes`` are what NumPy computes before any call:
    from arrays alone, and from sizes which inputs tell. A stage ends after each of the items in ``stops``. ``compute``
    returns hints of what the preludes compute, ``seen`` has those of other steps.
    """

    def __init__(self, plan: Plan, packs: Packs, compute: Compute | None, seen: Shapes) -> None:
        super().__init__(packs)
        self.values: list[Any] = list(plan.slots)
        self.preludes: tuple[list[Interpreted], list[Interpreted]] = ([], [])
        self.stops: list[int] = []
        self.folding = Folding(self.symbols)
        self.arrivals = Arrivals(self, self.folding)
        self._compute = compute
        self._seen = seen
        self._joins = Joins(plan, self, self.values)
        self._step = plan.steps[0] if plan.steps else None

    def begin(self, step: Step) -> Mark:
        """Begin to lower a step; return the mark to which what it adds may be undone."""
        self._step, self.algorithm = step, ""
        return Mark(len(self.items), len(self.stops), (len(self.preludes[0]), len(self.preludes[1])))

    def undo(self, mark: Mark) -> None:
        """Remove what was added after a mark."""
        del self.items[mark.items :], self.stops[mark.stops :], self.arrivals.sizes[mark.stops + 2 :]
        for prelude, count in zip(self.preludes, mark.preludes, strict=True):
            del prelude[count:]

    def wanted(self, shape: Sequence[Number], dtype: np.dtype[Any]) -> View | None:
        step = self._step
        return None if step is None or len(step.outputs) != 1 else self._joins.place(step.outputs[0], shape, dtype)

    def early(self, run: Callable[..., Any] | None, inputs: Sequence[Value]) -> tuple[View, ...]:
        stage = self.arrivals.stage_of(inputs)
        if stage is None or self._step is None:
            raise Unsupported("it depends on what a kernel computes")
        part = self._step if run is None else self._step._replace(run=run)
        return self.compute_before(part, inputs, stage, "provides memory", is_part=True)

    def counted(self, array: View, count: View) -> View:
        assert self._step is not None
        part = self._step._replace(run=lambda array, count: array[..., : count[0]])
        (found,) = self.compute_between(part, (array, count), "takes what the calls found", is_part=True)
        return found

    def compute_before(
        self, step: Step, inputs: Sequence[Value], stage: int, reason: str, *, is_part: bool = False
    ) -> tuple[View, ...]:
        """The outputs of a step that NumPy computes in a prelude, at stage 0 or 1; Unknown if a size has no hint."""
        hints: Sequence[Array | None] = [None] * len(step.facts)
        if self._compute is not None:
            hints = self._compute(step, [self.arrivals.hint(value) for value in inputs])
        elif not all(map(has_static_shape, step.facts)):
            raise Unknown
        pairs, is_variable = zip(step.facts, hints, strict=True), "state" in step.asks
        outputs = tuple(self.arrivals.add_early(*pair, stage, is_variable=is_variable) for pair in pairs)
        self.preludes[stage].append(Interpreted(step, tuple(inputs), outputs, reason, is_part))
        return outputs

    def compute_between(
        self, step: Step, inputs: Sequence[Value], reason: str, *, is_part: bool = False
    ) -> tuple[View, ...]:
        """The outputs of a step that NumPy computes between two calls; what is open of their sizes is known then."""
        if not all(map(has_static_shape, step.facts)):
            self.arrivals.sizes.append([])
            self.stops.append(len(self.items) + 1)
        hints: Sequence[Array | None] = self._seen.get(step.outputs, [None] * len(step.facts))
        pairs, stage = zip(step.facts, hints, strict=True), 1 + len(self.stops)
        outputs = tuple(self.arrivals.add(*pair, stage) for pair in pairs)
        self.items.append(Interpreted(step, tuple(inputs), outputs, reason, is_part))
        return outputs
