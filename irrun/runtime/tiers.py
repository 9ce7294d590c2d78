"""Choose the tier of a plan: NumPy at first, compiled kernels once they are worth it and ready."""

from __future__ import annotations

import importlib.util
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from irrun.kernels.pages import trim
from irrun.kernels.threads import release_scratch, threads
from irrun.ops.fused.base import Fused
from irrun.runtime.choice import Choice
from irrun.runtime.execute import Observer, execute
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Plan
from irrun.runtime.state import State
from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.runtime.instance import Instance
    from irrun.runtime.lowering.builder import Packs
    from irrun.runtime.program import Program

Tier = Literal["auto", "numpy", "compiled"]

HOT: Final = 2
"""Runs of a plan before it is compiled: what is run once needs no compiler."""

_IDLE: Final = 4
"""Instances of a program that are kept for the next run."""


@cache
def can_compile() -> bool:
    """Return whether the extra ``jit`` is installed."""
    return importlib.util.find_spec("numba") is not None


class Tiers:
    """Runs the plans of a compiled model. Several threads may use it at once.

    A plan with a time limit runs on NumPy, where the time is checked before each layer.
    """

    def __init__(self, wanted: Tier = "auto") -> None:
        self._wanted = wanted if can_compile() else "numpy"
        self._packs: Packs = weakref.WeakValueDictionary()
        self._hot: weakref.WeakKeyDictionary[Plan, _Compiled] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()
        self.last: Literal["numpy", "compiled"] = "numpy"

    def run(
        self, plan: Plan, inputs: Sequence[Array], state: State, observers: Sequence[Observer], memory: Memory
    ) -> tuple[Array, ...]:
        """The results. They may lie in ``memory``."""
        compiled = self._compiled(plan)
        if compiled is not None:
            self.last = "compiled"
            return compiled.run(plan, inputs, state, observers, memory)
        self.last = "numpy"
        try:
            return execute(plan, inputs, state, observers, memory)
        finally:
            hot = self._hot.get(plan)
            if self._wanted == "auto" and hot is not None and hot.is_young:
                memory.clear()
                release_scratch()

    def prepare(self) -> None:
        """Compile all plans that have run so far."""
        with self._lock:
            hot = list(self._hot.items())
        for plan, compiled in hot:
            compiled.prepare(plan)

    def _compiled(self, plan: Plan) -> _Compiled | None:
        if self._wanted == "numpy" or plan.budget.seconds is not None:
            return None
        with self._lock:
            found = self._hot.get(plan)
            if found is None:
                found = self._hot[plan] = _Compiled(self._packs)
        found.runs += 1
        if self._wanted == "compiled":
            found.prepare(plan)
        elif found.runs > HOT:
            found.prepare_in_background(plan)
        return found if found.is_ready else None


def release(plan: Plan) -> None:
    """Free what NumPy's kernels computed on first use."""
    for step in plan.steps:
        if isinstance(step.node.op, Fused):
            step.node.op.release()
    trim()


class _Compiled:
    """The program of a plan, as soon as there is one, and the instances of that."""

    def __init__(self, packs: Packs) -> None:
        self.runs = 0
        self.is_ready = False
        self._is_begun = self._is_done = False
        self._packs = packs
        self._program: Program | None = None
        self._idle: deque[Instance] = deque(maxlen=_IDLE)
        self._choices: dict[int, Choice] = {}
        self._lock = threading.Lock()

    @property
    def is_young(self) -> bool:
        """Return whether NumPy has run the plan so rarely that its memory is better kept for the kernels."""
        return self.runs <= HOT

    def prepare_in_background(self, plan: Plan) -> None:
        """Begin to compile, unless that has begun."""
        if not self._is_begun:
            self._is_begun = True
            threading.Thread(target=self.prepare, args=(plan,), name="irrun-compile", daemon=True).start()

    def prepare(self, plan: Plan) -> None:
        """Compile, unless that is done."""
        with self._lock:
            if self._is_done:
                return
            self._is_done = self._is_begun = True
            from irrun.runtime.program import lower

            release(plan)
            program = lower(plan, self._packs)
            if program.is_worthwhile:
                program.compile()
                self._program = program
                self._release(self._instance())
                self.is_ready = True
                release(plan)

    def run(
        self, plan: Plan, inputs: Sequence[Array], state: State, observers: Sequence[Observer], memory: Memory
    ) -> tuple[Array, ...]:
        from irrun.runtime.instance import Misfit

        memory.clear()
        instance, choice = self._instance(), self._choice_of(threads())
        count = choice.next()
        began = time.perf_counter()
        try:
            results = instance.run(inputs, count, state, observers, plan.budget)
        except Misfit:
            state.discard()
            return execute(plan, inputs, state, observers, memory)
        except BaseException:
            state.discard()
            raise
        finally:
            self._release(instance)
        state.commit()
        choice.took(count, time.perf_counter() - began)
        return results

    def _choice_of(self, most: int) -> Choice:
        found = self._choices.get(most)
        if found is None:
            found = self._choices[most] = Choice(most)
        return found

    def _instance(self) -> Instance:
        from irrun.runtime.instance import Instance

        try:
            return self._idle.pop()
        except IndexError:
            assert self._program is not None
            return Instance(self._program, threads())

    def _release(self, instance: Instance) -> None:
        self._idle.append(instance)
