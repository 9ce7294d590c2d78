"""Plan -> Program: calls of compiled kernels over one arena, whose layout is known before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.ops.infrastructure.assign import Assign3, Assign6
from irrun.ops.shape.shape_of import ShapeOfV1, ShapeOfV3
from irrun.runtime.arena import place
from irrun.runtime.checked_values import nothing
from irrun.runtime.lowering import LOWERINGS
from irrun.runtime.lowering.builder import Buffer, Builder, Call, Interpreted, Late, Packs, Value
from irrun.runtime.lowering.cache import LATE_LOWERINGS
from irrun.runtime.plan import Plan, Step
from irrun.tensor import Array

_LEAST_CALLS: Final = 4
"""Calls between two steps of Python that are worth to wake workers for, in a plan that is open."""


class Lowered(NamedTuple):
    """A step, the range of items that it became, its inputs and its outputs."""

    step: Step
    first: int
    last: int
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """The calls of kernels into which a plan was lowered.

    ``offsets`` says where in the arena, of ``size`` bytes, each buffer lies. ``steps`` are in the order of the items.
    """

    items: tuple[Call | Interpreted, ...]
    steps: tuple[Lowered, ...]
    parameters: tuple[Value, ...]
    results: tuple[Value, ...]
    lates: tuple[Late, ...]
    buffers: tuple[Buffer, ...]
    starts: tuple[int, ...]
    offsets: Mapping[int, int]
    size: int
    workspace: int
    constants: tuple[Array, ...]

    @property
    def is_worthwhile(self) -> bool:
        """Return whether compiled kernels compute enough of the program."""
        calls = sum(isinstance(item, Call) for item in self.items)
        stretches = sum(isinstance(self.items[first], Call) for first, _ in segments(self.items))
        return calls > 0 and (not self.lates or calls >= _LEAST_CALLS * stretches)

    @property
    def most_workers(self) -> int:
        """The number of workers that can do something at the same time."""
        return max((item.tasks for item in self.items if isinstance(item, Call)), default=1)

    def bytes(self, workers: int) -> int:
        """The memory of an instance: the arena, and the workspace of each worker."""
        return self.size + workers * self.workspace_of_worker

    @property
    def workspace_of_worker(self) -> int:
        """The bytes from the workspace of a worker to that of the next."""
        return -(-self.workspace // 128) * 128 + 128


def segments(items: Sequence[Call | Interpreted]) -> list[tuple[int, int]]:
    """Ranges of calls that nothing interrupts, and single steps that NumPy computes."""
    found: list[tuple[int, int]] = []
    for number, item in enumerate(items):
        joins = isinstance(item, Call) and number > 0 and isinstance(items[number - 1], Call)
        if joins:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found


def lower(plan: Plan, packs: Packs) -> Program:
    """The program of a plan.

    What depends on no call is computed in a prelude, so that nothing interrupts the calls where that can be avoided.
    """
    builder = Builder(packs)
    slots: list[Any] = list(plan.slots)
    for slot, fact in zip(plan.parameters, plan.parameter_facts, strict=True):
        slots[slot] = builder.value(fact)
    parameters = tuple(slots[slot] for slot in plan.parameters)
    early: list[Lowered] = []
    main: list[Lowered] = []
    for step in plan.steps:
        inputs = tuple(slots[index] for index in step.inputs)
        waits = any(id(value) in builder.pending for value in inputs)
        begun, first = len(builder.prelude), len(builder.items)
        outputs = _lowered(step, builder, inputs)
        new = builder.items[first:]
        if any(isinstance(item, Call) for item in new) or (waits and not _is_of_shape(step, builder, inputs)):
            builder.pending.update(map(id, outputs))
            main.append(Lowered(step, first, len(builder.items), inputs, outputs))
        else:
            if waits and not isinstance(step.node.op, ShapeOfV1 | ShapeOfV3):
                builder.pending.update(map(id, outputs))
            builder.prelude += new
            del builder.items[first:]
            early.append(Lowered(step, begun, len(builder.prelude), inputs, outputs))
        for index, value in zip(step.outputs, outputs, strict=True):
            slots[index] = value
    results = tuple(slots[index] for index in plan.results)
    shift = len(builder.prelude)
    builder.items[:0] = builder.prelude
    _find_lives(builder, parameters, results)
    offsets, size = place(builder.buffers)
    return Program(
        tuple(builder.items),
        (*early, *(each._replace(first=each.first + shift, last=each.last + shift) for each in main)),
        parameters,
        results,
        tuple(builder.lates),
        tuple(builder.buffers),
        tuple(buffer.start for buffer in builder.buffers),
        offsets,
        size,
        max((item.workspace for item in builder.items if isinstance(item, Call)), default=0),
        tuple(builder.constants),
    )


def _is_of_shape(step: Step, builder: Builder, inputs: Sequence[Any]) -> bool:
    """Return whether a step needs only facts about its inputs that the prelude knows, not their values."""
    if not isinstance(step.node.op, ShapeOfV1 | ShapeOfV3 | Assign3 | Assign6):
        return False
    return all(id(value) not in builder.pending or id(value) in builder.announced for value in inputs)


def _lowered(step: Step, builder: Builder, inputs: Sequence[Any]) -> tuple[Value, ...]:
    late = any(isinstance(value, Late) for value in inputs)
    late = late or not all(fact.shape.is_static and fact.type.is_known for fact in step.facts)
    mark = len(builder.items)
    made = _late(step, builder, inputs) if late else _called(step, builder, inputs)
    if made is not None:
        return made
    del builder.items[mark:]
    outputs = tuple(builder.value(fact) for fact in step.facts)
    builder.items.append(Interpreted(step, tuple(inputs), outputs))
    return outputs


def _late(step: Step, builder: Builder, inputs: Sequence[Any]) -> tuple[Value, ...] | None:
    """The outputs of a step that has a kernel for late arrays."""
    op = step.node.op
    lowering = None if op is None else LATE_LOWERINGS.get(type(op))
    return None if lowering is None else lowering(step, builder, *inputs)


def _called(step: Step, builder: Builder, inputs: Sequence[Any]) -> tuple[Array, ...] | None:
    """The outputs of a step that has a kernel."""
    op = step.node.op
    lowering = None if op is None else LOWERINGS.get(type(op))
    if op is None or lowering is None or any(fact.type.is_narrow for fact in step.facts):
        return None
    if nothing(op, step.facts) is not None:
        return None
    given = list(inputs)
    while given and given[-1] is None:
        given.pop()
    made = lowering(op, builder, *given)
    return None if made is None else tuple(made) if isinstance(made, tuple) else (made,)


def _find_lives(builder: Builder, parameters: Sequence[Value], results: Sequence[Value]) -> None:
    """From which item on, and up to which, each buffer is needed."""

    def touch(address: int, number: int) -> None:
        buffer = builder.buffer(address)
        if buffer is not None:
            buffer.first = number if buffer.first < 0 else min(buffer.first, number)
            buffer.last = max(buffer.last, number)

    def touch_all(values: Sequence[Value | None], number: int) -> None:
        for value in values:
            if isinstance(value, Late):
                row = builder.buffer(start_of(value.row))
                if row is not None and row.first >= 0:
                    row.first = min(row.first, number)
            elif value is not None:
                touch(start_of(value), number)

    for number, item in enumerate(builder.items):
        if isinstance(item, Call):
            for argument in (*item.arguments, *(entry for table in item.tables.values() for entry in table)):
                if isinstance(argument, int):
                    touch(argument, number)
    touch_all(parameters, 0)
    for number, item in enumerate(builder.items):
        if isinstance(item, Interpreted):
            touch_all((*item.inputs, *item.outputs), number)
    touch_all(results, len(builder.items))


def start_of(array: Array) -> int:
    """The lowest address of an array."""
    return int(np.lib.array_utils.byte_bounds(array)[0])
