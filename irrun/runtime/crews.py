"""When a plan gets a crew, and what happens when there is none."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Final

from irrun.diagnostics import IRError
from irrun.kernels.threads import threads
from irrun.ops import Fold
from irrun.ops.fused.base import Fused
from irrun.runtime.crew import Busy, Crew, is_possible
from irrun.runtime.execute import Observer, execute
from irrun.runtime.memory import Memory
from irrun.runtime.partner import CrewError, Partner
from irrun.runtime.plan import Plan, Step
from irrun.runtime.state import State
from irrun.tensor import Array

RUNS_ALONE: Final = 2
"""Runs of a plan before it may get a crew: what is run once needs none."""
WORTH_A_CREW: Final = 1e-3
"""Seconds that a run takes without one."""
TRIAL: Final = 20
"""Runs in a crew after which it must have been faster than without."""
MOST_PROCESSES: Final = 8
"""Processes in a crew: the steps of a plan do not divide into more."""
SIZE_BY_PROCESSORS = True
"""Whether there are at most as many processes as processors; tests want more."""
_PATIENCE: Final = 5.0
"""Seconds, beyond twenty times what a run takes alone, after which a process that keeps others waiting is given up."""
_LONG_TRIAL: Final = 2.0
"""Seconds of runs in a crew after which it must have been faster too."""
_MEMORY: Final = 8
"""Runs alone that are remembered."""
_MOST_CREWS: Final = 4
"""Crews that live at the same time."""
_MOST_PLANS: Final = 2
"""Plans of one model that are kept an eye on."""
_MOST_FAILURES: Final = 3
"""Times that a crew may be lost before there is none any more."""
_IDLE: Final = 1.0
"""Seconds without a run after which a crew makes room for another."""


class Crews:
    """The crews of a compiled model: one for each plan that is run again and again."""

    def __init__(self) -> None:
        self._candidates: dict[int, _Candidate] = {}
        self._lock = threading.Lock()

    def run(
        self, plan: Plan, inputs: Sequence[Array], observers: Sequence[Observer], memory: Memory
    ) -> tuple[tuple[Array, ...], Memory] | None:
        """The results and the memory that they lie in; None where the plan is better run by this process alone.

        ``memory`` is that of the runs before: it is emptied.
        """
        candidate = self._candidates.get(id(plan))
        return None if candidate is None else candidate.run(inputs, observers, memory)

    def took(self, plan: Plan, seconds: float, memory: Memory) -> None:
        """A run without a crew took so long, and so much memory."""
        left = None
        with self._lock:
            candidate = self._candidates.get(id(plan))
            if candidate is None:
                if len(self._candidates) >= _MOST_PLANS:
                    left = self._candidates.pop(next(iter(self._candidates)))
                candidate = self._candidates[id(plan)] = _Candidate(plan)
        if left is not None:
            left.end()
        candidate.took(seconds, memory.size)

    def end(self) -> None:
        """Ends all other processes; plans that go on being run get new ones."""
        for candidate in list(self._candidates.values()):
            candidate.end()

    @property
    def processes(self) -> int:
        """The processes that share an inference at present: 1 without a crew."""
        return max((candidate.processes for candidate in list(self._candidates.values())), default=1)


class _Candidate:
    """A plan, how long it takes alone and in a crew, and its crew."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._chances = _MOST_FAILURES if is_possible() and is_shareable(plan) else 0
        self._waits = RUNS_ALONE
        self._alone: deque[float] = deque(maxlen=_MEMORY)
        self._runs = 0
        self._bytes = 0
        self._together: list[float] = []
        self._is_tried = False
        self._crew: Crew | None = None
        self._caller = os.getpid()
        self._used = time.monotonic()
        self._lock = threading.Lock()

    def took(self, seconds: float, bytes: int) -> None:
        self._runs += 1
        self._alone.append(seconds)
        self._bytes = max(self._bytes, bytes)

    def run(
        self, inputs: Sequence[Array], observers: Sequence[Observer], memory: Memory
    ) -> tuple[tuple[Array, ...], Memory] | None:
        if not self._is_worth_it(observers) or not self._lock.acquire(blocking=False):
            return None
        try:
            crew = self._crew
            if crew is None:
                return self._begin(inputs, memory)
            if not crew.takes(inputs):
                return None
            self._used = time.monotonic()
            began = time.perf_counter()
            results = crew.run(inputs, observers)
            self._judge(time.perf_counter() - began)
            return results, crew.memory
        except (Busy, IRError):
            self._waits *= 2
            self._end()
            return None
        except (CrewError, OSError, MemoryError, RuntimeError):
            self._chances -= 1
            self._end()
            return None
        except BaseException:
            self._end()
            raise
        finally:
            self._lock.release()

    @property
    def processes(self) -> int:
        crew = self._crew
        return crew.size if crew is not None else 1

    def end(self) -> None:
        """Without a crew from now on, until it is worth it once more."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        self._runs = 0
        self._together.clear()
        self._is_tried = False
        if self._crew is not None:
            self._crew.close()
            self._crew = None

    def _is_worth_it(self, observers: Sequence[Observer]) -> bool:
        return (
            self._chances > 0
            and (self._crew is not None or self._runs >= self._waits)
            and min(self._alone) > WORTH_A_CREW
            and self._caller == os.getpid()
            and _size() > 1
            and all(getattr(observer, "keeps_nothing", False) for observer in observers)
        )

    def _begin(self, inputs: Sequence[Array], memory: Memory) -> tuple[tuple[Array, ...], Memory] | None:
        if not self._has_room():
            return None
        memory.clear()
        constants = sum(array.nbytes for array in self._plan.slots if array is not None)
        patience = _PATIENCE + 20 * min(self._alone)
        self._used = time.monotonic()
        self._crew = crew = Crew(partial(_run, self._plan), inputs, _size(), self._bytes, patience, constants)
        return crew.rehearse(inputs), crew.memory

    def _has_room(self) -> bool:
        """Whether there may be one more crew; where there are too many, one that has had nothing to do is ended."""
        _CANDIDATES.add(self)
        others = [candidate for candidate in list(_CANDIDATES) if candidate._crew is not None]
        if len(others) < _MOST_CREWS:
            return True
        idle = min(others, key=lambda candidate: candidate._used)
        if time.monotonic() - idle._used < _IDLE or not idle._lock.acquire(blocking=False):
            return False
        try:
            idle._end()
        finally:
            idle._lock.release()
        return True

    def _judge(self, seconds: float) -> None:
        """A crew that has not been faster after a few runs is given up."""
        if self._is_tried:
            return
        self._together.append(seconds)
        runs = len(self._together)
        self._is_tried = runs >= TRIAL or (runs > 2 and sum(self._together) > _LONG_TRIAL)
        if self._is_tried and min(self._together) > min(self._alone):
            self._chances = 0
            self._end()


_CANDIDATES: Final[weakref.WeakSet[_Candidate]] = weakref.WeakSet()


def _size() -> int:
    """How many processes there may be."""
    return min(threads(), len(os.sched_getaffinity(0)) if SIZE_BY_PROCESSORS else MOST_PROCESSES, MOST_PROCESSES)


def is_shareable(plan: Plan) -> bool:
    """Whether the steps of a plan do the same in each process, and each time in the same memory.

    No variables, no chance, no text, no sizes that depend on values.
    """
    return (
        plan.is_static
        and any("memory" in step.asks for step in plan.steps)
        and all(_is_repeatable(step) for step in plan.steps)
        and all(type.kind != "string" for type in plan.parameter_types)
    )


def _is_repeatable(step: Step) -> bool:
    op = step.node.op
    certain = isinstance(op, Fused) or (op is not None and op.foldable is not Fold.NEVER)
    return certain and not {"state", "bodies"} & set(step.asks) and all(type.kind != "string" for type in step.types)


def _run(
    plan: Plan, inputs: Sequence[Array], observers: Sequence[Observer], memory: Memory, partner: Partner
) -> tuple[Array, ...]:
    return execute(plan, inputs, State(), observers, memory, partner)
