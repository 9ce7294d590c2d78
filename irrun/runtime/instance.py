"""A program with its own memory, which runs one inference at a time."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from irrun.diagnostics.signals import is_of_signal
from irrun.kernels.aligned import LINES, aligned
from irrun.kernels.threads import set_blas_threads
from irrun.runtime.execute import FAILURES, Numerics, compute
from irrun.runtime.lowering.builder import FAILURE, WIDEST_VECTOR
from irrun.runtime.program import ROW, Program, Stage, place, segments
from irrun.runtime.request import Refused, Request
from irrun.runtime.symbolic import Number
from irrun.runtime.view import Interpreted, Numbers, Value, View
from irrun.runtime.workers import workers
from irrun.tensor import Array
from irrun_kernels.tape import LINE

_GROWTH: Final = 2
"""The divisor of the part by which a buffer that became too small grows more than it must."""


class Instance:
    """Memory for the arrays and the arguments of a program."""

    def __init__(self, program: Program, most_workers: int) -> None:
        self._program = program
        self._layout = layout = program.layout
        self._most = most_workers
        self._segments = segments(program.items)
        self._is_mixed = any(isinstance(item, Interpreted) for item in program.items)
        self._has_steps = any(program.preludes) or self._is_mixed
        self._words = np.empty(layout.size, np.int64)
        self._tape = int(self._words.ctypes.data)
        self._counters = aligned((len(program.items) + 1, LINE), np.int64)
        self._counters.fill(0)
        self._first_counter = int(self._counters.ctypes.data)
        self._known = layout.known.copy()
        self._atoms: list[Any] = list(program.expressions.symbols.hints)
        self._bases = np.array([0] * len(program.buffers) + [self._tape, 0], np.int64)
        self._capacities = np.zeros(len(program.buffers), np.int64)
        self._arena = np.empty(0, np.uint8)
        self._flag = np.zeros(1, np.int64)
        self._workspace = np.empty(0, np.uint8)
        self._workspace_start = 0
        self._each = 0
        self._held: dict[int, Array] = {}
        self._owned: dict[int, Array] = {}
        self._arrays: dict[int, Array] = {}
        self._bound: list[list[Any]] = []
        self._bases[FAILURE.buffer] = self._flag.ctypes.data
        for number, buffer in enumerate(program.buffers):
            if buffer.array is not None:
                self._bases[number] = buffer.array.ctypes.data
        self._write(layout.stages[-1])
        self._is_fixed = not program.is_open
        if self._is_fixed:
            self._bind(0)
            self._bind(1)

    @property
    def bytes(self) -> int:
        """The memory of arrays and workspaces."""
        return self._arena.nbytes + self._workspace.nbytes

    def run(self, request: Request, count: int) -> tuple[Array, ...]:
        """The results, which may be inputs or variables; Refused where the program is not for the run.

        ``count`` is the number of workers. Beside several, BLAS has one thread: after a product its threads wait for
        the next one, and take the processors of the workers. IRError where a layer fails.
        """
        self._flag[0] = 0
        if self._is_mixed and count > 1:
            set_blas_threads(1)
        try:
            with Numerics() if self._has_steps else nullcontext():
                for view, array in self._begin(request):
                    if self._program.buffers[view.buffer].kind == "arena":
                        np.copyto(self._array(view), array)
                if request.observers:
                    self._observed(count, request)
                else:
                    self._walk(0, len(self._program.items), count, request)
            if self._flag[0]:
                raise Refused("a kernel found values that it does not support", late=True, final=True)
            return tuple(self._result(value) for value in self._program.results)
        finally:
            self._held.clear()

    def _begin(self, request: Request) -> list[tuple[View, Array]]:
        """Take the inputs and run the preludes; Refused for arrays or variables that the program is not for."""
        program, held = self._program, request.state.values.keys()
        if not program.held <= held or not program.fresh.isdisjoint(held):
            raise Refused("the program is for other variables")
        found = list(zip(program.parameters, request.inputs, strict=True))
        if not all(self._takes(view, array) for view, array in found):
            raise Refused("the program is for other shapes of inputs")
        arrays = {view.buffer: self._held.get(view.buffer, array) for view, array in found}
        for stage, prelude in enumerate(program.preludes):
            for item in prelude:
                given = [arrays[x.buffer] if isinstance(x, View) else self._value(x) for x in item.inputs]
                results = compute(item.step, given, request, () if item.is_part else request.observers)
                for view, array in zip(item.outputs, results, strict=True):
                    if not self._takes(view, array):
                        raise Refused(f"the program is for other shapes of the results of {item.step.node.name}")
                    arrays[view.buffer] = self._held.get(view.buffer, array)
                    found.append((view, array))
            if not self._is_fixed and not self._bind(stage):
                raise Refused("the program is for other sizes")
        return found

    def _takes(self, view: View, array: Array) -> bool:
        """Hold an array that is given to the program; False where it is not of the kind for which this was lowered."""
        if array.dtype != view.dtype or array.ndim != view.ndim:
            return False
        for size, own in zip(view.shape, array.shape, strict=True):
            if size.__class__ is int and size != own:
                return False
        given = self._program.buffers[view.buffer].given
        if given is not None:
            self._held[view.buffer] = array if given.strides else np.asarray(array, order="C")
        return True

    def _bind(self, number: int) -> bool:
        """Compute the words that a stage makes known; return whether its guards hold."""
        stage = self._layout.stages[number]
        key: list[Any] = []
        for buffer, given in stage.given:
            array = self._held[buffer]
            shape, strides = array.shape, array.strides
            for atom, axis in given.shape:
                self._atoms[atom] = shape[axis]
            for atom, axis in given.strides:
                self._atoms[atom] = strides[axis]
            self._bases[buffer] = start = array.ctypes.data
            key += (shape, strides, start)
        if len(self._bound) > number and self._bound[number] == key:
            return True
        del self._bound[number:]
        try:
            values = stage.evaluate(self._atoms)
        except FAILURES as error:
            if is_of_signal(error):
                raise
            return False
        if values is None:
            return False
        workers().leave(self)
        self._known[stage.expressions] = values
        self._arrays.clear()
        self._place(number)
        self._write(stage)
        self._bound.append(key)
        return True

    def _write(self, stage: Stage) -> None:
        self._words[stage.words] = self._bases[stage.buffers] + self._known[stage.offsets]

    def _place(self, number: int) -> None:
        """Provide memory for the buffers and workspaces whose sizes a stage makes known."""
        layout, known, stage = self._layout, self._known, self._layout.stages[number]
        for buffer in stage.written:
            self._own(buffer, layout.contents(self._program.buffers[buffer], known))
        each = int(known[layout.workspaces].max())
        if each > self._each or not self._workspace.size:
            each = -(-each // LINES) * LINES + LINES
            self._workspace = aligned(self._most * each + 2 * WIDEST_VECTOR)
            self._workspace_start = int(self._workspace.ctypes.data)
            self._each = each
        sizes = known[layout.sizes]
        for buffer in stage.grown:
            self._own(buffer, np.empty(int(sizes[buffer]) + 2 * WIDEST_VECTOR, np.uint8))
        if number == 1:
            sizes[layout.not_placed] = 0
            self._place_arena(sizes)

    def _place_arena(self, sizes: Array) -> None:
        if self._arena.size and (sizes <= self._capacities).all():
            return
        grown = sizes + sizes // _GROWTH if self._arena.size else sizes
        capacities = np.where(sizes > self._capacities, grown, self._capacities)
        offsets, size = place(self._program.buffers, capacities.tolist())
        self._arena = aligned(size + 2 * WIDEST_VECTOR)
        self._capacities = capacities
        for number, offset in offsets.items():
            self._bases[number] = self._arena.ctypes.data + offset

    def _own(self, number: int, array: Array) -> None:
        self._owned[number] = array
        self._bases[number] = array.ctypes.data

    def _walk(self, first: int, last: int, count: int, request: Request) -> None:
        parts = self._segments
        if first or last < len(self._program.items):
            parts = [(first + begin, first + end) for begin, end in segments(self._program.items[first:last])]
        for begin, end in parts:
            item = self._program.items[begin]
            if isinstance(item, Interpreted):
                self._interpret(begin, item, request)
                continue
            workers().walk(
                self._tape + 8 * ROW * begin,
                end - begin,
                self._first_counter + 8 * LINE * begin,
                self._workspace_start,
                self._each,
                min(count, self._most),
                self,
            )

    def _interpret(self, number: int, item: Interpreted, request: Request) -> None:
        arrays = [self._value(value) for value in item.inputs]
        if "state" in item.step.asks:
            arrays = [array.copy() if self._is_in_arena(array) else array for array in arrays]
        results = compute(item.step, arrays, request)
        for view, result in zip(item.outputs, results, strict=False):
            array = result.copy() if self._is_given(view) and self._is_in_arena(result) else result
            if not self._takes(view, array):
                raise Refused(f"a result of {item.step.node.name} has a shape or type other than inferred", late=True)
            if not self._is_given(view):
                np.copyto(self._array(view), array)
        if number + 1 in self._program.stops and not self._bind(self._program.stops.index(number + 1) + 2):
            why = f"the program does not fit the shapes of the results of {item.step.node.name}"
            raise Refused(why, late=True)

    def _is_in_arena(self, array: Array | None) -> bool:
        """Return whether the next run overwrites an array."""
        return array is not None and np.may_share_memory(array, self._arena)

    def _observed(self, count: int, request: Request) -> None:
        done = 0
        for lowered in self._program.steps:
            if lowered.first < 0:
                continue
            self._walk(done, lowered.first, count, request)
            given = [self._value(value) for value in lowered.inputs]
            for observer in request.observers:
                observer.before(lowered.step, given)
            self._walk(lowered.first, lowered.last, count, request)
            done = max(done, lowered.last)
            made = [self._value(value) for value in lowered.outputs]
            for observer in request.observers:
                observer.after(lowered.step, made)

    def _value(self, value: Value) -> Any:
        """The array of a value."""
        if not isinstance(value, Numbers):
            return self._array(value) if isinstance(value, View) else value
        found = self._arrays.get(id(value.values))
        if found is None:
            found = self._arrays[id(value.values)] = value.filled(self._number)
            found.flags.writeable = False
        return found

    def _number(self, number: Number) -> Any:
        return self._layout.value(number, self._known)

    def _result(self, value: Value) -> Array:
        found: Array = self._value(value)
        return found.copy() if isinstance(value, View) and not self._is_given(value) else found

    def _is_given(self, view: View) -> bool:
        return self._program.buffers[view.buffer].given is not None

    def _array(self, view: View) -> Array:
        """The array of a view, in memory of this instance or of the run, which it keeps."""
        if view.dtype.hasobject:
            return self._held[view.buffer]
        found = self._arrays.get(id(view))
        if found is None:
            offset, *sizes = map(self._number, (view.offset, *view.shape, *view.strides))
            interface = {
                "version": 3,
                "data": (int(self._bases[view.buffer]) + offset, False),
                "shape": tuple(sizes[: view.ndim]),
                "strides": tuple(sizes[view.ndim :]),
                "typestr": view.dtype.str,
            }
            kept = self._held.get(view.buffer, self._arena)
            found = np.asarray(SimpleNamespace(__array_interface__=interface, kept=kept))
            if not self._is_given(view):
                self._arrays[id(view)] = found
        return found
