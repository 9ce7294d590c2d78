"""Collect the calls of a plan: where results should be, and what NumPy computes before and between calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irrun.runtime.folding import Folding
from irrun.runtime.joins import Joins
from irrun.runtime.layout import Given
from irrun.runtime.lowering.builder import Builder, Interpreted, Numbers, Unsupported, Value, has_static_shape
from irrun.runtime.packs import Packs
from irrun.runtime.plan import Plan, Step
from irrun.runtime.symbolic import Number, SymInt, hint_of
from irrun.runtime.view import View
from irrun.tensor import Array, Fact

Shapes = Mapping[tuple[int, ...], Sequence[Array]]
"""The outputs of steps in a run, by the slots of the outputs: hints of sizes that depend on values."""

Compute = Callable[[Step, Sequence[Array | None]], Sequence[Array]]
"""Runs a step on NumPy."""


class Unknown(Exception):
    """A size depends on values in the middle of a run, and has no hint."""


class Arrivals:
    """The arrays of a run in the buffers of a builder, the stage of each, and the unknown sizes that they tell.

    ``given`` are those that a buffer holds as they are. Arrays that are known before any call have a hint: the
    array of the run for which a program is lowered.
    """

    def __init__(self, builder: Builder, folding: Folding) -> None:
        self.given: dict[int, Given] = {}
        self._builder = builder
        self._folding = folding
        self._early: dict[int, tuple[Array | None, int]] = {}
        self._alike: dict[tuple[int, int, bool, int], Number] = {}

    def add(self, fact: Fact, hint: Array | None, stage: int = 0, *, is_variable: bool = False) -> View:
        """The array of a Parameter or of a step that NumPy computes; Unknown if a size has no hint.

        Its sizes are those of the run where the fact leaves them open, and so are the strides of a variable, which may
        have room to grow. Variables grow together: sizes that are equal are one, and what follows from them is computed
        once.
        """
        builder = self._builder
        if has_static_shape(fact):
            if not is_variable:
                return builder.empty(fact.shape.static, fact.type.dtype)
            self.given[len(builder.buffers)] = Given(stage, [], [])
            return builder.given(fact.shape.static, None, fact.type.dtype)
        if hint is None:
            raise Unknown
        dims = fact.shape.dims or (None,) * hint.ndim
        given = self.given[len(builder.buffers)] = Given(stage, [], [])

        def unknown(hint: int, axis: int, *, is_stride: bool) -> Number:
            found = builder.symbols.unknown(hint, stage)
            (given.strides if is_stride else given.shape).append((found.atom, axis))
            alike = self._alike.setdefault((stage, axis, is_stride, hint), found) if is_variable else found
            return alike if alike == found else found

        shape = tuple(
            dim.lo if dim is not None and dim.is_static else unknown(size, axis, is_stride=False)
            for axis, (dim, size) in enumerate(zip(dims, hint.shape, strict=True))
        )
        strides = None
        if is_variable:
            strides = tuple(unknown(stride, axis, is_stride=True) for axis, stride in enumerate(hint.strides))
        return builder.given(shape, strides, hint.dtype)

    def add_early(
        self, fact: Fact, hint: Array | None, stage: int, *, is_variable: bool = False, is_input: bool = False
    ) -> View:
        """The same for an array that is known before any call: at stage 0, or 1 where it needs sizes."""
        made = self.add(fact, hint, stage, is_variable=is_variable)
        is_packed = hint is not None and made.buffer in self.given and not is_variable and not is_input
        self._early[id(made)] = (np.asarray(hint, order="C") if is_packed else hint, stage)
        return made

    def stage_of(self, values: Sequence[Value]) -> int | None:
        """The stage of the prelude in which all values are known; None if some are known later."""
        stage = 0
        for value in values:
            if isinstance(value, Numbers):
                if any(isinstance(number, SymInt) and number.stage > 0 for number in value.values.reshape(-1)):
                    return None
                stage = 1
            elif isinstance(value, View):
                if id(value) not in self._early:
                    return None
                stage = max(stage, self._early[id(value)][1])
            elif self._folding.is_guarded(value):
                stage = 1
        return stage

    def hint(self, value: Value) -> Array | None:
        """The array of a value that is known before any call, in the run for which the program is lowered."""
        if isinstance(value, Numbers):
            flat = [hint_of(number) for number in value.values.reshape(-1)]
            return np.array(flat, value.dtype).reshape(value.values.shape)
        return self._early[id(value)][0] if isinstance(value, View) else value


class Mark(NamedTuple):
    """The numbers of items, of stops, of arrays of the run, and of items of each prelude."""

    items: int
    stops: int
    given: int
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
        early, late = self.preludes
        return Mark(len(self.items), len(self.stops), len(self.arrivals.given), (len(early), len(late)))

    def undo(self, mark: Mark) -> None:
        """Remove what was added after a mark."""
        del self.items[mark.items :], self.stops[mark.stops :]
        for buffer in list(self.arrivals.given)[mark.given :]:
            del self.arrivals.given[buffer]
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
            self.stops.append(len(self.items) + 1)
        hints: Sequence[Array | None] = self._seen.get(step.outputs, [None] * len(step.facts))
        pairs, stage = zip(step.facts, hints, strict=True), 1 + len(self.stops)
        outputs = tuple(self.arrivals.add(*pair, stage) for pair in pairs)
        self.items.append(Interpreted(step, tuple(inputs), outputs, reason, is_part))
        return outputs
