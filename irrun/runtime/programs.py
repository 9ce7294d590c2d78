"""The programs of a plan, and their instances: which of them computes a run."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from irrun.diagnostics.signals import is_of_signal
from irrun.kernels.locks import Lock
from irrun.kernels.threads import threads, worthwhile
from irrun.runtime.budget import Budget, held_bytes
from irrun.runtime.execute import execute
from irrun.runtime.instance import Instance
from irrun.runtime.lower import lower
from irrun.runtime.lowering.builder import has_static_shape
from irrun.runtime.packs import Packs
from irrun.runtime.plan import Plan, Step
from irrun.runtime.plan_builder import Shapes, Unknown
from irrun.runtime.program import Program
from irrun.runtime.request import Refused, Request
from irrun.tensor import Array

_IDLE: Final = 4
"""Instances of a program that are kept for the next run."""

_MOST_PROGRAMS: Final = 8
"""Programs of an open plan: one for each outcome of the comparisons of its sizes."""

_MOST_BAILOUTS: Final = 16
"""Bailouts after which no more programs are made."""

TOO_FEW: Final = "compiled kernels compute too few of its steps"
"""Why a plan stays on NumPy."""

_NO_MEMORY: Final = "there is no memory for the arrays of the program"
_TOO_LARGE: Final = "its arrays need more memory than the budget"
_NONE_FITS: Final = "no program fits these inputs"

SEEN_FIRST: Final = "sizes depend on values, and were seen first"
"""Why NumPy computes a run of a plan that is lowered then."""


class Programs:
    """The programs of a plan, to which it does not refer. Several threads may use them: ``streams`` at once.

    ``bailouts`` counts, by reason, the runs that a program could not finish.
    """

    def __init__(self, plan: Plan, packs: Packs, streams: int = 1) -> None:
        """Lower the plan, if its sizes are known; Refused if compiled kernels should not compute it."""
        self.bailouts: Counter[str] = Counter()
        self._packs = packs
        self._streams = streams
        self._lock, self._lowering = Lock(), Lock()
        self._pools: tuple[_Pool, ...] = ()
        self._why_none = ""
        facts = (*plan.parameter_facts, *(fact for step in plan.steps for fact in step.facts))
        if all(map(has_static_shape, facts)):
            self._keep(lower(plan, packs), plan.budget)

    def __iter__(self) -> Iterator[Program]:
        """The programs so far, the last one that fitted first."""
        return iter([pool.program for pool in self._pools])

    def run(self, plan: Plan, request: Request) -> tuple[tuple[Array, ...], str]:
        """The results, and why NumPy computed them if it did; Refused where it should, IRError where a layer fails."""
        try:
            return self._attempt(plan, request)
        except MemoryError as error:
            if is_of_signal(error):
                raise
            self._count(_NO_MEMORY)
            raise Refused(_NO_MEMORY, late=True) from None

    def _attempt(self, plan: Plan, request: Request) -> tuple[tuple[Array, ...], str]:
        for pool in self._pools:
            try:
                results = self._run(pool, request)
            except Refused as refused:
                if refused.final:
                    raise
            else:
                if self._pools[0] is not pool:
                    self._put_first(pool)
                return results, ""
        if self._packs.is_torn:
            self._packs.forget()
            self._pools = ()
        if self._why_none or self.bailouts.total() > _MOST_BAILOUTS:
            raise Refused(self._why_none or _NONE_FITS)
        with self._lowering:
            try:
                pool = self._keep(lower(plan, self._packs, request), request.budget)
            except Unknown:
                return self._seen_first(plan, request), SEEN_FIRST
        return self._run(pool, request), ""

    def _count(self, bailout: str) -> None:
        self.bailouts[bailout] += 1

    def _put_first(self, pool: _Pool) -> None:
        """Try a program first from now on; forget the one that is tried last if there are too many."""
        with self._lock:
            others = [each for each in self._pools if each is not pool]
            self._pools = (pool, *others[: _MOST_PROGRAMS - 1])

    def _seen_first(self, plan: Plan, request: Request) -> tuple[Array, ...]:
        """Let NumPy compute a run, and lower the plan for sizes that depend on values as they are there."""
        before = request.state.copy()
        results, seen = recorded(plan, request)
        with suppress(MemoryError, Refused):
            self._keep(lower(plan, self._packs, replace(request, state=before), seen), request.budget)
        return results

    def _keep(self, program: Program, budget: Budget) -> _Pool:
        """Use a program from now on; Refused where it is not worth it, or needs more memory than there may be."""
        why = "" if program.is_worthwhile else TOO_FEW
        if not why:
            pool = _Pool(program, deque([Instance(program, threads())], maxlen=_IDLE))
            held = held_bytes(program.constants) + pool.idle[0].bytes
            why = _TOO_LARGE if budget.memory is not None and held > budget.memory else ""
        if why:
            self._why_none = "" if self._pools else why
            raise Refused(self._why_none or _NONE_FITS)
        self._put_first(pool)
        return pool

    def _run(self, pool: _Pool, request: Request) -> tuple[Array, ...]:
        """The results of a program; Refused where it does not compute them, which is counted if it is a bailout."""
        try:
            instance = pool.idle.pop()
        except IndexError:
            instance = Instance(pool.program, threads())
        try:
            results = instance.run(request, pool.program.workers(worthwhile() // self._streams))
            if self._packs.is_torn:
                raise Refused("a file of CACHE_DIR was cut short while it was in use", late=True)
        except BaseException as error:
            request.state.discard()
            if isinstance(error, Refused) and error.late:
                self._count(str(error))
            raise
        finally:
            pool.idle.append(instance)
        request.state.commit()
        return results


class _Pool(NamedTuple):
    """A program, and its instances that no run uses."""

    program: Program
    idle: deque[Instance]


def recorded(plan: Plan, request: Request) -> tuple[tuple[Array, ...], Shapes]:
    """The results of a run on NumPy, and arrays of the shapes and types of the outputs of its steps."""
    recorder = _Recorder(plan)
    results = execute(plan, replace(request, observers=(*request.observers, recorder)))
    return results, recorder.outputs


class _Recorder:
    """Keeps the shapes and types of outputs of steps, by their slots, as arrays that take no memory."""

    def __init__(self, plan: Plan) -> None:
        self._steps = set(map(id, plan.steps))
        self.outputs: dict[tuple[int, ...], list[Array]] = {}

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        pass

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        if id(step) in self._steps:
            self.outputs[step.outputs] = [np.broadcast_to(np.zeros((), x.dtype), x.shape) for x in outputs]
