"""Plan -> Program: calls of compiled kernels over one arena, whose layout is known before anything runs."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from irrun.kernels.compiled.tape import LINE
from irrun.runtime.arena import place
from irrun.runtime.execute import FAILURES, Numerics, Observer, conformed, step_error
from irrun.runtime.lowering import LOWERINGS
from irrun.runtime.lowering.builder import WIDEST_VECTOR, Buffer, Builder, Call, Interpreted, Packs
from irrun.runtime.plan import Plan, Step
from irrun.runtime.workers import workers
from irrun.tensor import Array

Lowered = tuple[Step, int, int, tuple[Array | None, ...], tuple[Array, ...]]
"""A step, the range of items that it became, its inputs and its outputs."""


@dataclass(frozen=True, slots=True)
class Program:
    """What a plan with fixed shapes was lowered into.

    ``offsets`` says where in the arena, of ``size`` bytes, each buffer lies.
    """

    items: tuple[Call | Interpreted, ...]
    steps: tuple[Lowered, ...]
    parameters: tuple[Array, ...]
    results: tuple[Array, ...]
    buffers: tuple[Buffer, ...]
    starts: tuple[int, ...]
    offsets: Mapping[int, int]
    size: int
    workspace: int
    constants: tuple[Array, ...]

    @property
    def calls(self) -> int:
        """The number of calls of compiled kernels."""
        return sum(isinstance(item, Call) for item in self.items)

    def compile(self) -> None:
        """Compile all kernels, or read them from the cache."""
        for item in self.items:
            if isinstance(item, Call):
                item.kernel.address  # noqa: B018


def lower(plan: Plan, packs: Packs) -> Program | None:
    """The program of a plan; None where the plan has sizes, variables, bodies or types that a program cannot have."""
    facts = [*plan.parameter_facts, *(fact for step in plan.steps for fact in step.facts)]
    if not all(fact.shape.is_static and fact.type.is_known and fact.type.kind != "string" for fact in facts):
        return None
    if any(set(step.asks) - {"memory"} for step in plan.steps):
        return None
    builder = Builder(packs)
    slots: list[Any] = list(plan.slots)
    for slot, fact in zip(plan.parameters, plan.parameter_facts, strict=True):
        slots[slot] = builder.empty(fact.shape.static, fact.type.dtype)
    parameters = tuple(slots[slot] for slot in plan.parameters)
    steps = []
    for step in plan.steps:
        first = len(builder.items)
        inputs = tuple(slots[index] for index in step.inputs)
        outputs = _lowered(step, builder, inputs)
        for index, array in zip(step.outputs, outputs, strict=True):
            slots[index] = array
        steps.append((step, first, len(builder.items), inputs, outputs))
    results = tuple(slots[index] for index in plan.results)
    return _assembled(builder, tuple(steps), parameters, results)


def lower_step(step: Step, arrays: Sequence[Array | None], packs: Packs) -> Program | None:
    """The program of one step with one output, for inputs of these shapes; None where NumPy should compute it."""
    builder = Builder(packs)
    inputs = [None if array is None else builder.empty(array.shape, array.dtype) for array in arrays]
    made = _called(step, builder, inputs)
    if made is None:
        return None
    return _assembled(builder, (), tuple(x for x in inputs if x is not None), made)


def _assembled(
    builder: Builder, steps: tuple[Lowered, ...], parameters: tuple[Array, ...], results: tuple[Array, ...]
) -> Program:
    _find_lives(builder, parameters, results)
    offsets, size = place(builder.buffers)
    return Program(
        tuple(builder.items),
        steps,
        parameters,
        results,
        tuple(builder.buffers),
        tuple(buffer.start for buffer in builder.buffers),
        offsets,
        size,
        max((item.workspace for item in builder.items if isinstance(item, Call)), default=0),
        tuple(builder.constants),
    )


def _lowered(step: Step, builder: Builder, inputs: Sequence[Any]) -> tuple[Array, ...]:
    made = _called(step, builder, inputs)
    if made is not None:
        return made
    outputs = tuple(builder.empty(fact.shape.static, fact.type.dtype) for fact in step.facts)
    builder.items.append(Interpreted(step, tuple(inputs), outputs))
    return outputs


def _called(step: Step, builder: Builder, inputs: Sequence[Any]) -> tuple[Array, ...] | None:
    """The outputs of a step that has a kernel."""
    op = step.node.op
    lowering = None if op is None else LOWERINGS.get(type(op))
    if lowering is None or any(fact.type.is_narrow for fact in step.facts):
        return None
    mark = len(builder.items)
    given = list(inputs)
    while given and given[-1] is None:
        given.pop()
    made = lowering(op, builder, *given)
    if made is None:
        del builder.items[mark:]
        return None
    return tuple(made) if isinstance(made, tuple) else (made,)


def _find_lives(builder: Builder, parameters: Sequence[Array], results: Sequence[Array]) -> None:
    """From which item on, and up to which, each buffer is needed."""

    def touch(address: int, number: int) -> None:
        buffer = builder.buffer(address)
        if buffer is not None:
            buffer.first = number if buffer.first < 0 else min(buffer.first, number)
            buffer.last = max(buffer.last, number)

    for array in parameters:
        touch(_start(array), 0)
    for number, item in enumerate(builder.items):
        if isinstance(item, Call):
            for value in (*item.arguments, *(value for table in item.tables.values() for value in table)):
                if isinstance(value, int):
                    touch(value, number)
        else:
            for used in (*item.inputs, *item.outputs):
                if used is not None:
                    touch(_start(used), number)
    for array in results:
        touch(_start(array), len(builder.items))


def _start(array: Array) -> int:
    return int(np.lib.array_utils.byte_bounds(array)[0])


class Instance:
    """A program with memory of its own: it runs once at a time."""

    def __init__(self, program: Program, most_workers: int) -> None:
        self._program = program
        self._most = most_workers
        each = -(-program.workspace // 128) * 128 + 128
        whole = np.empty(program.size + each * most_workers + 2 * WIDEST_VECTOR + 128, np.uint8)
        self._arena = whole[-whole.ctypes.data % 128 :]
        self._each = each
        self._workspace = int(self._arena.ctypes.data) + -(-program.size // 128) * 128
        self._records: list[Array] = []
        self._tape = np.zeros((max(len(program.items), 1), 3), np.int64)
        self._counters = np.zeros((max(len(program.items), 1) + 1, LINE), np.int64)
        shift = -self._counters.ctypes.data % 128
        self._first_counter = self._counters.ctypes.data + shift
        self._kept = (program, whole, self._records, self._tape, self._counters)
        for number, item in enumerate(program.items):
            if isinstance(item, Call):
                self._tape[number] = item.kernel.address, self._record(item), item.tasks
            else:
                self._tape[number] = 0, 0, 0
        self._segments = list(_segments(program.items))
        self._inputs = [self._array(array) for array in program.parameters]
        self._results = [self._array(array) for array in program.results]
        self._interpreted = {
            number: (item.step, [self._array(x) for x in item.inputs], [self._array(x) for x in item.outputs])
            for number, item in enumerate(program.items)
            if isinstance(item, Interpreted)
        }

    def run(self, inputs: Sequence[Array], count: int, observers: Sequence[Observer] = ()) -> tuple[Array, ...]:
        """The results, which are the caller's own, with so many workers."""
        workers().settle(self._kept)
        self._counters.fill(0)
        for target, given in zip(self._inputs, inputs, strict=True):
            np.copyto(target, given)
        with Numerics():
            if observers:
                self._observed(count, observers)
            else:
                for first, last in self._segments:
                    self._do(first, last, count)
        return tuple(result.copy() for result in self._results)

    def _do(self, first: int, last: int, count: int) -> None:
        found = self._interpreted.get(first)
        if found is not None:
            _interpret(*found)
            return
        workers().walk(
            int(self._tape.ctypes.data) + 24 * first,
            last - first,
            self._first_counter + 8 * LINE * first,
            self._workspace,
            self._each,
            min(count, self._most),
            self._kept,
        )

    def _observed(self, count: int, observers: Sequence[Observer]) -> None:
        for step, first, last, inputs, outputs in self._program.steps:
            given = [self._array(x) for x in inputs]
            for observer in observers:
                observer.before(step, given)
            for begin, end in _segments(self._program.items[first:last]):
                self._do(first + begin, first + end, count)
            made = [self._array(x) for x in outputs]
            for observer in observers:
                observer.after(step, made)

    def _record(self, call: Call) -> int:
        """The arguments of a call with addresses in this arena."""
        values = list(call.arguments)
        fields = call.arguments._fields
        for name, table in call.tables.items():
            numbers = np.array([self._moved(value) for value in table], np.int64)
            self._records.append(numbers)
            values[fields.index(name)] = int(numbers.ctypes.data)
        moved = tuple(self._moved(value) if isinstance(value, int) else value for value in values)
        record = np.array([moved], call.kernel.record)
        self._records.append(record)
        return int(record.ctypes.data)

    def _moved(self, value: int) -> int:
        """An address in this arena for one in a buffer of the program; another number as it is."""
        program = self._program
        number = bisect.bisect(program.starts, value) - 1
        if number < 0:
            return value
        buffer = program.buffers[number]
        if value >= buffer.start + buffer.size or buffer.start not in program.offsets:
            return value
        return int(self._arena.ctypes.data) + program.offsets[buffer.start] + value - buffer.start

    def _array(self, array: Any) -> Any:
        """The array in this arena for one of the program."""
        if array is None:
            return None
        start = _start(array)
        moved = self._moved(start)
        if moved == start or not array.size:
            return array
        offset = moved - int(self._arena.ctypes.data) + int(array.ctypes.data) - start
        return np.ndarray(array.shape, array.dtype, self._arena, offset, array.strides)


def _segments(items: Sequence[Call | Interpreted]) -> list[tuple[int, int]]:
    """Ranges of calls that nothing interrupts, and single steps that NumPy computes."""
    found: list[tuple[int, int]] = []
    for number, item in enumerate(items):
        joins = isinstance(item, Call) and number > 0 and isinstance(items[number - 1], Call)
        if joins:
            found[-1] = (found[-1][0], number + 1)
        else:
            found.append((number, number + 1))
    return found


def _interpret(step: Step, inputs: Sequence[Any], outputs: Sequence[Array]) -> None:
    context = {"memory": _PLAIN} if "memory" in step.asks else {}
    try:
        results = conformed(step, step.run(*inputs, **context))
        for target, result in zip(outputs, results, strict=True):
            np.copyto(target, result)
    except FAILURES as error:
        raise step_error(step, inputs, error) from error


class _Plain:
    """Memory that is made each time."""

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        return np.empty(shape, dtype)

    def like(self, array: Array) -> Array:
        return np.empty_like(array)


_PLAIN: Final = _Plain()
