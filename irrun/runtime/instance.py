"""A program with its own memory, which runs one inference at a time."""

from __future__ import annotations

import bisect
import struct
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.runtime.budget import UNLIMITED, Budget
from irrun.runtime.execute import FAILURES, Numerics, Observer, Run, conformed
from irrun.runtime.lowering.builder import MISFIT, WIDEST_VECTOR, Call, Late, Value
from irrun.runtime.lowering.cache import late_row
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Step
from irrun.runtime.program import Program, segments, start_of
from irrun.runtime.state import State
from irrun.runtime.workers import workers
from irrun.tensor import Array
from irrun_kernels.cache import LATE
from irrun_kernels.tape import LINE

_ROW: Final = struct.Struct(f"={LATE}q")


class Misfit(Exception):
    """A run that the program is not for, or that fails: NumPy computes it, or says why."""


class _Interpreted(NamedTuple):
    """A step with its arrays in the arena; late ones are given by their numbers.

    ``sees`` says that some inputs are in the arena, ``keeps`` that some may outlive the run.
    """

    step: Step
    inputs: list[Any]
    outputs: list[Any]
    sees: bool
    keeps: bool


class Instance:
    """Memory for the arrays and the arguments of a program."""

    def __init__(self, program: Program, most_workers: int) -> None:
        self._program = program
        self._most = most_workers
        each = program.workspace_of_worker
        whole = np.empty(program.bytes(most_workers) + 2 * WIDEST_VECTOR + 128, np.uint8)
        self._arena = whole[-whole.ctypes.data % 128 :]
        self._base = int(self._arena.ctypes.data)
        self._each = each
        self._workspace = self._base + -(-program.size // 128) * 128
        self._records: list[Array] = []
        self._misfit = np.zeros(1, np.int64)
        self._tape = np.zeros((max(len(program.items), 1), 3), np.int64)
        self._first_call = int(self._tape.ctypes.data)
        self._counters = np.zeros((max(len(program.items), 1) + 1, LINE), np.int64)
        shift = -self._counters.ctypes.data % 128
        self._first_counter = self._counters.ctypes.data + shift
        self._kept = (program, whole, self._records, self._tape, self._counters)
        self._fits: dict[tuple[int, int], list[Callable[[Sequence[Any]], bool]]] = {}
        self._interpreted: dict[int, _Interpreted] = {}
        self._segments = segments(program.items)
        for number, item in enumerate(program.items):
            if isinstance(item, Call):
                self._tape[number] = item.kernel.address, self._record(item), item.tasks
            else:
                inputs, outputs = ([self._value(x) for x in values] for values in (item.inputs, item.outputs))
                sees = not item.is_fresh and any(isinstance(x, np.ndarray) and self._is_inside(x) for x in inputs)
                keeps = sees and "state" in item.step.asks
                self._interpreted[number] = _Interpreted(item.step, inputs, outputs, sees, keeps)
        self._inputs = [self._value(value) for value in program.parameters]
        self._results = [self._value(value) for value in program.results]
        self._rows = [self._row(late) for late in program.lates]
        self._lates: list[Any] = [None] * len(program.lates)
        self._memory = Memory()

    def run(
        self,
        inputs: Sequence[Array],
        count: int,
        state: State,
        observers: Sequence[Observer] = (),
        budget: Budget = UNLIMITED,
    ) -> tuple[Array, ...]:
        """The results, which may be arguments or variables; Misfit where NumPy should compute them.

        ``count`` is the number of workers.
        """
        context = Run(state, observers, self._memory, budget)
        try:
            for target, given in zip(self._inputs, inputs, strict=True):
                self._store(target, given)
            with Numerics() if self._interpreted else nullcontext():
                if context.observers:
                    self._observed(count, context)
                else:
                    self._walk(0, len(self._program.items), count, context)
            if self._misfit[0]:
                self._misfit[0] = 0
                raise Misfit
            return tuple(self._lates[target] if target.__class__ is int else target.copy() for target in self._results)
        except FAILURES as error:
            raise Misfit from error
        finally:
            self._lates = [None] * len(self._lates)

    def _walk(self, first: int, last: int, count: int, context: Run) -> None:
        parts = self._segments
        if first or last < len(self._program.items):
            parts = [(first + begin, first + end) for begin, end in segments(self._program.items[first:last])]
        for begin, end in parts:
            found = self._interpreted.get(begin)
            if found is not None:
                self._interpret(found, context)
                continue
            if not all(fits(self._lates) for fits in self._conditions(begin, end)):
                raise Misfit
            workers().walk(
                self._first_call + 24 * begin,
                end - begin,
                self._first_counter + 8 * LINE * begin,
                self._workspace,
                self._each,
                min(count, self._most),
                self._kept,
            )

    def _conditions(self, first: int, last: int) -> Sequence[Callable[[Sequence[Any]], bool]]:
        """Return the conditions on late arrays before some calls."""
        found = self._fits.get((first, last))
        if found is None:
            calls = (item for item in self._program.items[first:last] if isinstance(item, Call))
            found = self._fits[first, last] = [item.fits for item in calls if item.fits is not None]
        return found

    def _interpret(self, item: _Interpreted, context: Run) -> None:
        step, lates = item.step, self._lates
        arrays = [lates[x] if x.__class__ is int else x for x in item.inputs]
        if item.keeps:
            arrays = [x.copy() if isinstance(x, np.ndarray) and self._is_inside(x) else x for x in arrays]
        results = conformed(step, step.run(*arrays, **context.asked(step)))
        for target, result in zip(item.outputs, results, strict=True):
            if item.sees and target.__class__ is int and self._is_inside(result):
                result = result.copy()
            self._store(target, result)

    def _store(self, target: Any, array: Array) -> None:
        if target.__class__ is not int:
            if target.shape != array.shape:
                raise Misfit
            np.copyto(target, array)
            return
        self._lates[target] = array
        row = self._rows[target]
        if row is not None and array.ndim <= 4:
            _ROW.pack_into(row, 0, array.__array_interface__["data"][0], *late_row(array))

    def _is_inside(self, array: Array) -> bool:
        return np.may_share_memory(array, self._arena)

    def _observed(self, count: int, context: Run) -> None:
        done = 0
        for lowered in self._program.steps:
            self._walk(done, lowered.first, count, context)
            given = [self._value(x) for x in lowered.inputs]
            given = [self._lates[x] if x.__class__ is int else x for x in given]
            for observer in context.observers:
                observer.before(lowered.step, given)
            self._walk(lowered.first, lowered.last, count, context)
            done = max(done, lowered.last)
            made = [self._value(x) for x in lowered.outputs]
            made = [self._lates[x] if x.__class__ is int else x for x in made]
            for observer in context.observers:
                observer.after(lowered.step, made)

    def _record(self, call: Call) -> int:
        """The arguments of a call with addresses in this arena."""
        values = list(call.arguments)
        fields = call.arguments._fields
        for name, table in call.tables.items():
            is_own = name != MISFIT
            numbers = np.array([self._moved(value) for value in table], np.int64) if is_own else self._misfit
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
        return self._base + program.offsets[buffer.start] + value - buffer.start

    def _row(self, late: Late) -> memoryview | None:
        """Return the row that describes a late array to kernels; None if no kernel reads it."""
        row = self._value(late.row)
        return None if row is late.row else memoryview(row.view(np.uint8))

    def _value(self, value: Value | None) -> Any:
        """The array in this arena for one of the program, the number of a late one."""
        if value is None or isinstance(value, Late):
            return None if value is None else value.number
        start = start_of(value)
        moved = self._moved(start)
        if moved == start or not value.size:
            return value
        offset = moved - self._base + int(value.ctypes.data) - start
        return np.ndarray(value.shape, value.dtype, self._arena, offset, value.strides)
