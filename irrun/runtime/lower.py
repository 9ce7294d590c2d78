"""Plan -> Program, in stages: take the Parameters, lower each step, write variables, find lives, lay out words.

A step is lowered in the first of these ways that is possible:

1. It makes initial values of variables: NumPy computes it before any call.
2. It depends on sizes alone: its outputs are numbers (`Folding`).
3. It has a kernel: its lowering adds calls.
4. NumPy computes it before any call, where all of its inputs are known then.
5. It writes a variable: NumPy does that last.
6. NumPy computes it between two calls.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from irrun.jobs.collector import collection_paused
from irrun.jobs.progress import told
from irrun.ops import Op, OpError
from irrun.ops._declared.fused.fused_append import FusedAppend
from irrun.ops._declared.infrastructure.assign import Assign3, Assign6
from irrun.ops._declared.infrastructure.read_value import ReadValue3, ReadValue6
from irrun.ops.calling import empty
from irrun.runtime import lowering
from irrun.runtime.execute import compute
from irrun.runtime.lowering.builder import LOWERINGS, Lowered, Unsupported
from irrun.runtime.lowering.places import PLACES
from irrun.runtime.packing import packed
from irrun.runtime.packs import Packs
from irrun.runtime.plan import Plan, Step
from irrun.runtime.plan_builder import PlanBuilder, Shapes
from irrun.runtime.program import LoweredStep, Program, assembled
from irrun.runtime.request import Request
from irrun.runtime.symbolic import NotWhole
from irrun.runtime.view import Interpreted, Numbers, Value, View

_GROWING: Final = (FusedAppend, 1)
_READERS: Final[frozenset[tuple[type[Op], int]]] = frozenset({_GROWING, (ReadValue3, 0), (ReadValue6, 0)})
"""The operations that read variables, each with the input that is the initial value."""


def lower(plan: Plan, packs: Packs, request: Request | None = None, seen: Shapes | None = None) -> Program:
    """The program of a plan, for the variables that a request holds: initial values of these are not computed.

    A plan that is open takes its hints from the inputs of a request and from what NumPy returns for the steps of the
    prelude, such as those that read variables; the variables stay as they are. Unknown where other steps have outputs
    of sizes that depend on values, and ``seen`` does not have them.
    """
    with np.errstate(all="ignore"), collection_paused(), packed(packs):
        builder, steps = _lower_steps(plan, packs, request, seen or {})
        held = builder.fresh.intersection(() if request is None else request.state.values)
        if held:
            builder, steps = _lower_steps(_without_initial(plan, held), packs, request, seen or {})
        return assembled(
            builder,
            [builder.values[slot] for slot in plan.parameters],
            [builder.values[slot] for slot in plan.results],
            steps=tuple(steps),
            preludes=(tuple(builder.preludes[0]), tuple(builder.preludes[1])),
            stops=tuple(builder.stops),
            held=frozenset(held),
        )


def _lower_steps(
    plan: Plan, packs: Packs, request: Request | None, seen: Shapes
) -> tuple[PlanBuilder, list[LoweredStep]]:
    """Return a builder with the calls of a plan, and its steps, those in the preludes first."""
    run = None
    if request is not None:
        aside = Request(request.inputs, request.state.copy(), budget=request.budget)
        run = functools.partial(compute, request=aside)
    builder, uses = PlanBuilder(plan, packs, run, seen), _Uses(plan)
    values = builder.values
    for number, (slot, fact) in enumerate(zip(plan.parameters, plan.parameter_facts, strict=True)):
        hint = None if request is None else request.inputs[number]
        values[slot] = builder.early_arrival(fact, hint, 0)
    steps: list[LoweredStep] = []
    sinks: list[tuple[Step, tuple[Value, ...]]] = []
    for step in told(plan.steps, "compiling"):
        inputs = tuple([values[slot] for slot in step.inputs])
        lowered = _lower_step(builder, uses, step, inputs)
        if lowered is None:
            sinks.append((step, inputs))
        else:
            steps.append(lowered)
        for slot, value in zip(step.outputs, inputs if lowered is None else lowered.outputs, strict=True):
            values[slot] = value
    for step, inputs in sinks:
        first = len(builder.items)
        builder.items.append(Interpreted(step, inputs, (), "writes a variable"))
        steps.append(LoweredStep(step, first, first + 1, inputs, inputs))
    steps.sort(key=lambda step: step.first >= 0)
    return builder, steps


def _without_initial(plan: Plan, names: Collection[str]) -> Plan:
    """A plan without the steps that only compute the initial values of some variables."""
    nothing = len(plan.slots)
    needed = set(plan.results)
    steps = []
    for step in reversed(plan.steps):
        if not needed.intersection(step.outputs) and "state" not in step.asks:
            continue
        op = step.node.op
        if isinstance(op, ReadValue3 | ReadValue6) and op.variable_id in names:
            step = step._replace(inputs=(nothing,))
        needed.update(step.inputs)
        steps.append(step)
    return replace(plan, steps=tuple(reversed(steps)), slots=(*plan.slots, np.empty(0)))


class _Uses:
    """The readers of the outputs of the steps of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._results = frozenset(plan.results)
        self._readers: dict[int, set[tuple[type[Any], int]]] = {}
        for step in plan.steps:
            for place, slot in enumerate(step.inputs):
                self._readers.setdefault(slot, set()).add((type(step.node.op), place))

    def are_unused(self, step: Step) -> bool:
        """Return whether nothing reads the outputs of a step."""
        return not any(slot in self._readers or slot in self._results for slot in step.outputs)

    def are_initial(self, step: Step, inputs: Sequence[Value]) -> bool:
        """Return whether a step makes initial values of variables before any call: those that need sizes only.

        A variable that grows needs its initial value then, whatever it is made of.
        """
        readers = {each for slot in step.outputs for each in self._readers.get(slot, ())}
        needs_sizes = not any(isinstance(value, View) for value in inputs)
        is_initial = bool(readers) and readers <= _READERS and self._results.isdisjoint(step.outputs)
        return is_initial and (needs_sizes or _GROWING in readers)


def _lower_step(builder: PlanBuilder, uses: _Uses, step: Step, inputs: tuple[Value, ...]) -> LoweredStep | None:
    """Lower a step; None for one that writes a variable, which NumPy does last, as nothing reads what it returns."""
    builder.begin(step)
    first = len(builder.items)
    try:
        if uses.are_initial(step, inputs) and builder.stage_of(inputs) is not None:
            outputs: tuple[Value, ...] = builder.early(None, inputs)
        else:
            outputs = builder.folding.outputs(step, inputs) or _emit(builder, step, inputs)
    except (Unsupported, OpError) as why:
        reason = str(why)
    except (NotWhole, ZeroDivisionError):
        reason = "sizes that are known only when a run begins"
    else:
        return LoweredStep(step, first, len(builder.items), inputs, outputs, builder.algorithm)
    builder.undo()
    is_early = builder.stage_of(inputs) is not None
    if not is_early and isinstance(step.node.op, Assign3 | Assign6) and uses.are_unused(step):
        return None
    outputs = builder.interpret(step, inputs, reason)
    return LoweredStep(step, *((-1, -1) if is_early else (first, len(builder.items))), inputs, outputs)


def _emit(builder: PlanBuilder, step: Step, inputs: tuple[Value, ...]) -> tuple[Value, ...]:
    """Add the calls of a step that has a kernel; Unsupported for others."""
    op = step.node.op
    lowering = None if op is None else lowering_of(type(op))
    without_elements = None if op is None or op.has_effects else empty(step.facts)
    if without_elements is not None:
        return without_elements
    if op is None or lowering is None:
        raise Unsupported("no kernel")
    narrow = next((fact.type for fact in step.facts if fact.type.is_narrow), None)
    if narrow is not None:
        raise Unsupported(f"results of {narrow}")
    arrays = [
        (value.values if place in lowering.numbers else builder.view(value)) if isinstance(value, Numbers) else value
        for place, value in enumerate(inputs)
    ]
    while arrays and arrays[-1] is None:
        arrays.pop()
    if any(isinstance(value, View) and value.dtype.hasobject for value in arrays):
        raise Unsupported("text")
    made = lowering.function(op, builder, *arrays)
    return tuple(made) if isinstance(made, tuple) else (made,)


def lowering_of(operation: type[Op]) -> Lowered | None:
    """Return how an operation is lowered; None for one that no module lowers."""
    name = operation.type.lower()
    if name in PLACES:
        importlib.import_module(f"{lowering.__name__}.{PLACES[name]}")
    of_type = LOWERINGS.get(name) if operation.__module__.startswith(_OWN) else None
    return LOWERINGS.get(operation, of_type)


_OWN: Final = "irrun.ops._declared."
