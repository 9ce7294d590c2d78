"""Runs the programs of a plan, each inference in an instance that is idle."""

from __future__ import annotations

import functools
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import numpy as np

from irrun.diagnostics import IRError
from irrun.diagnostics.signals import is_of_signal
from irrun.kernels.locks import Lock
from irrun.kernels.threads import threads
from irrun.runtime.budget import Budget, held_bytes
from irrun.runtime.execute import Numerics, Observer, Run, compute, execute
from irrun.runtime.instance import Bailout, Instance, OtherShapes
from irrun.runtime.layout import Layout
from irrun.runtime.lowering.builder import Call, Packs, has_static_shape
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Plan, Step
from irrun.runtime.program import Program, Shapes, Unknown, lower
from irrun.runtime.state import State
from irrun.tensor import Array

_IDLE: Final = 4
"""Instances of a program that are kept for the next run."""

_MOST_PROGRAMS: Final = 8
"""Programs of an open plan: one for each outcome of the comparisons of its sizes."""


TOO_FEW: Final = "compiled kernels compute too few of its steps"
"""Why a plan stays on NumPy."""

_MOST_BAILOUTS: Final = 16
"""Bailouts after which no more programs are made."""


class Runner:
    """The programs of a plan, to which it does not refer. Several threads may use it at once.

    ``streams`` of them share the processors.

    ``bailouts`` counts, by reason, the runs that a program could not finish. ``recorded`` are those that NumPy computed
    to see sizes that depend on values.
    """

    def __init__(self, packs: Packs, streams: int = 1) -> None:
        self._packs = packs
        self._streams = streams
        self._variants: list[Variant] = []
        self._lock = Lock()
        self.is_hopeless: bool = False
        self.bailouts: Counter[str] = Counter()
        self.recorded: int = 0

    @property
    def programs(self) -> list[Program]:
        """The programs so far, the last one that fitted first."""
        return [variant.program for variant in self._variants]

    def prepare(self, plan: Plan) -> None:
        """Lower the plan, if its sizes are known."""
        facts = (*plan.parameter_facts, *(fact for step in plan.steps for fact in step.facts))
        if all(map(has_static_shape, facts)) and not self._variants and not self.is_hopeless:
            self._keep(lower(plan, self._packs), plan.budget)

    def run(
        self,
        plan: Plan,
        inputs: Sequence[Array],
        state: State,
        observers: Sequence[Observer],
        memory: Memory,
        check: Callable[[], None],
    ) -> tuple[Array, ...] | str:
        """The results, or the reason why NumPy should compute them.

        ``check`` is due unless a program is for these inputs: it tells of errors what they mean for the model.
        """
        try:
            results = self._attempt(plan, inputs, state, observers, memory)
        except IRError:
            check()
            raise
        except Bailout as error:
            return self._bailed_out(str(error))
        except MemoryError as error:
            if is_of_signal(error):
                raise
            return self._bailed_out("there is no memory for the arrays of the program")
        if results is not None:
            return results
        return TOO_FEW if self.is_hopeless else "no program fits these inputs"

    def _bailed_out(self, reason: str) -> str:
        self.bailouts[reason] += 1
        return reason

    def _attempt(
        self,
        plan: Plan,
        inputs: Sequence[Array],
        state: State,
        observers: Sequence[Observer],
        memory: Memory,
    ) -> tuple[Array, ...] | None:
        for variant in list(self._variants):
            results = self._run(variant, plan.budget, inputs, state, observers)
            if results is not None:
                self._prefer(variant)
                return results
        if self.is_hopeless or sum(self.bailouts.values()) > _MOST_BAILOUTS:
            return None
        with self._lock:
            added = self._added(plan, inputs, state, memory)
        if isinstance(added, Variant):
            return self._run(added, plan.budget, inputs, state, observers)
        return added

    def _prefer(self, variant: Variant) -> None:
        """Try a variant first from now on."""
        if self._variants[0] is not variant:
            self._variants.sort(key=lambda each: each is not variant)

    def _added(
        self, plan: Plan, inputs: Sequence[Array], state: State, memory: Memory
    ) -> Variant | tuple[Array, ...] | None:
        """Lower the plan for the sizes of a run. Where they depend on values, NumPy computes this run, to see some."""
        try:
            return self._keep(lowered(plan, self._packs, inputs, state), plan.budget)
        except Unknown:
            before = state.copy()
            results, seen = recorded(plan, inputs, state, memory)
            self.recorded += 1
            with suppress(MemoryError):
                self._keep(lowered(plan, self._packs, inputs, before, seen), plan.budget)
            return results

    def _keep(self, program: Program, budget: Budget) -> Variant | None:
        memory = budget.memory
        variant = Variant(program) if program.is_worthwhile else None
        if variant is None or (memory is not None and variant.bytes > memory):
            self.is_hopeless = not self._variants
            return None
        self._variants.insert(0, variant)
        del self._variants[_MOST_PROGRAMS:]
        return variant

    def _run(
        self, variant: Variant, budget: Budget, inputs: Sequence[Array], state: State, observers: Sequence[Observer]
    ) -> tuple[Array, ...] | None:
        """The results; None where the program is not for the sizes of the run."""
        instance = variant.instance()
        try:
            results = instance.run(inputs, variant.workers(self._streams), state, observers, budget)
        except OtherShapes as error:
            state.discard()
            self._bailed_out(str(error))
            return None
        except BaseException:
            state.discard()
            raise
        finally:
            variant.idle.append(instance)
        if results is None:
            state.discard()
            return None
        state.commit()
        return results


def lowered(plan: Plan, packs: Packs, inputs: Sequence[Array], state: State, seen: Shapes | None = None) -> Program:
    """The program of a plan for the sizes of a run. Variables stay as they are. Unknown as `lower` raises it."""
    context = Run(state.copy(), (), Memory(), plan.budget)
    with Numerics():
        return lower(plan, packs, inputs, functools.partial(compute, context), seen, state.values)


def recorded(plan: Plan, inputs: Sequence[Array], state: State, memory: Memory) -> tuple[tuple[Array, ...], Shapes]:
    """The results of a run on NumPy, and arrays of the shapes and types of the outputs of its steps."""
    recorder = _Recorder(plan)
    return execute(plan, inputs, state, [recorder], memory), recorder.outputs


class Variant:
    """A program, and its idle instances."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._layout = Layout(program)
        tasks = [item.tasks for item in program.items if isinstance(item, Call)]
        self._most = max((each for each in tasks if isinstance(each, int)), default=1)
        if any(not isinstance(each, int) for each in tasks):
            self._most = threads()
        self.idle: deque[Instance] = deque([Instance(self._layout, threads())], maxlen=_IDLE)

    @property
    def bytes(self) -> int:
        """The memory of constants, and of the arrays of an instance, as far as their sizes are known."""
        return held_bytes(self.program.constants) + self.idle[0].bytes

    def workers(self, streams: int) -> int:
        """All threads that a stream may have, but no more than a call has tasks."""
        return max(1, min(threads() // streams, self._most))

    def instance(self) -> Instance:
        try:
            return self.idle.pop()
        except IndexError:
            return Instance(self._layout, threads())


class _Recorder:
    """Keeps the outputs of steps, by their slots: only their shapes and types are of interest."""

    def __init__(self, plan: Plan) -> None:
        self._steps = set(map(id, plan.steps))
        self.outputs: dict[tuple[int, ...], list[Array]] = {}

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        pass

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        if id(step) in self._steps:
            self.outputs[step.outputs] = [_like(array) for array in outputs]


def _like(array: Array) -> Array:
    """An array of the same shape and type that takes no memory."""
    return np.broadcast_to(np.zeros((), array.dtype), array.shape)
