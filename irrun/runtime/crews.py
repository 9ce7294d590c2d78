"""When a plan gets a crew, and what happens when there is none."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Sequence
from functools import partial
from typing import Final

from irrun.diagnostics import IRError
from irrun.kernels.threads import threads
from irrun.ops import Fold
from irrun.ops.fused.base import Fused
from irrun.runtime.crew import Busy, Crew, CrewError, Partner, is_possible
from irrun.runtime.execute import Observer, execute
from irrun.runtime.memory import Memory
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
_MOST_CREWS: Final = 4
"""Crews that live at the same time."""
_MOST_PLANS: Final = 2
"""Plans of one model that are kept an eye on."""
_MOST_FAILURES: Final = 3
"""Times that a crew may be lost, or an inference in it may fail, before there is none any more."""

_LIVING: weakref.WeakSet[Crew] = weakref.WeakSet()


class Crews:
    """The crews of a compiled model: one for each plan that is run again and again."""

    def __init__(self) -> None:
        self._candidates: dict[int, _Candidate] = {}

    def run(
        self, plan: Plan, inputs: Sequence[Array], observers: Sequence[Observer], memory: Memory
    ) -> tuple[tuple[Array, ...], Memory] | None:
        """The results and the memory that they lie in; None where the plan is better run by this process alone.

        ``memory`` is that of the runs before: it is emptied.
        """
        candidate = self._candidates.get(id(plan))
        return None if candidate is None else candidate.run(inputs, observers, memory)

    def took(self, plan: Plan, seconds: float) -> None:
        """A run without a crew took so long."""
        candidate = self._candidates.get(id(plan))
        if candidate is None:
            while len(self._candidates) >= _MOST_PLANS:
                self._candidates.pop(next(iter(self._candidates))).end()
            candidate = self._candidates[id(plan)] = _Candidate(plan)
        candidate.took(seconds)

    def end(self) -> None:
        """Ends all other processes; plans that go on being run get new ones."""
        for candidate in self._candidates.values():
            candidate.end()

    @property
    def processes(self) -> int:
        """The processes that share an inference at present: 1 without a crew."""
        return max((candidate.processes for candidate in self._candidates.values()), default=1)


class _Candidate:
    """A plan, how long it takes alone and in a crew, and its crew."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._chances = _MOST_FAILURES if is_possible() and is_shareable(plan) else 0
        self._alone: list[float] = []
        self._together: list[float] = []
        self._crew: Crew | None = None
        self._caller = os.getpid()
        self._lock = threading.Lock()

    def took(self, seconds: float) -> None:
        if len(self._alone) < RUNS_ALONE:
            self._alone.append(seconds)

    def run(
        self, inputs: Sequence[Array], observers: Sequence[Observer], memory: Memory
    ) -> tuple[tuple[Array, ...], Memory] | None:
        if not self._is_worth_it() or not self._lock.acquire(blocking=False):
            return None
        try:
            crew = self._crew
            if crew is None:
                return self._begin(inputs, memory)
            if not crew.takes(inputs):
                return None
            began = time.perf_counter()
            results = crew.run(inputs, observers)
            self._judge(time.perf_counter() - began)
            return results, crew.memory
        except Busy:
            self.end()
            return None
        except (CrewError, IRError, OSError, MemoryError):
            self._chances -= 1
            self.end()
            return None
        except BaseException:
            self.end()
            raise
        finally:
            self._lock.release()

    @property
    def processes(self) -> int:
        return self._crew.size if self._crew is not None else 1

    def end(self) -> None:
        """Without a crew from now on, until it is worth it once more."""
        self._alone.clear()
        self._together.clear()
        if self._crew is not None:
            self._crew.close()
            self._crew = None

    def _is_worth_it(self) -> bool:
        return (
            self._chances > 0
            and len(self._alone) == RUNS_ALONE
            and min(self._alone) > WORTH_A_CREW
            and self._caller == os.getpid()
            and threads() > 1
        )

    def _begin(self, inputs: Sequence[Array], memory: Memory) -> tuple[tuple[Array, ...], Memory] | None:
        if sum(crew.size > 1 for crew in _LIVING) >= _MOST_CREWS:
            return None
        expected = memory.size
        memory.clear()
        self._crew = crew = Crew(partial(_run, self._plan), inputs, min(threads(), MOST_PROCESSES), expected)
        _LIVING.add(crew)
        return crew.rehearse(inputs), crew.memory

    def _judge(self, seconds: float) -> None:
        """A crew that has not been faster after a few runs is given up."""
        if len(self._together) < TRIAL:
            self._together.append(seconds)
            if len(self._together) == TRIAL and min(self._together) > min(self._alone):
                self._chances = 0
                self.end()


def is_shareable(plan: Plan) -> bool:
    """Whether the steps of a plan do the same in each process: no variables, no chance, no text."""
    return any("memory" in step.asks for step in plan.steps) and all(_is_repeatable(step) for step in plan.steps)


def _is_repeatable(step: Step) -> bool:
    op = step.node.op
    certain = isinstance(op, Fused) or (op is not None and op.foldable is not Fold.NEVER)
    return certain and not {"state", "bodies"} & set(step.asks) and all(type.kind != "string" for type in step.types)


def _run(
    plan: Plan, inputs: Sequence[Array], observers: Sequence[Observer], memory: Memory, partner: Partner
) -> tuple[Array, ...]:
    return execute(plan, inputs, State(), observers, memory, partner)
