"""Run the plans of a model: by compiled kernels where they compute enough of a plan, otherwise on NumPy."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypedDict

from irrun.diagnostics import IRError
from irrun.jobs.collector import collection_paused
from irrun.kernels.locks import Lock
from irrun.runtime.execute import execute
from irrun.runtime.packs import Packs
from irrun.runtime.plan import Plan
from irrun.runtime.request import Refused, Request
from irrun.runtime.tiers import Forgetful, Tier, has_kernels, release, why_not
from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.runtime.programs import Programs

HOT: Final = 2
"""Runs of a small plan on NumPy before it is lowered."""

_SMALL: Final = 1 << 22
"""Bytes of weights and results of a small plan."""


class RunsByTier(TypedDict):
    """The number of runs on compiled kernels, and of those on NumPy by reason."""

    compiled: int
    numpy: dict[str, int]


class ExecutionRecord(TypedDict):
    """The tier of the last run of a compiled model, and the counts of all runs, ready for JSON.

    ``bailouts`` counts, by reason, the runs that a program could not finish. Of the ``steps`` of the program that ran
    last, NumPy computed those that ``interpreted`` counts, by reason.
    """

    tier: Literal["numpy", "compiled"]
    runs_by_tier: RunsByTier
    bailouts: dict[str, int]
    steps: int
    interpreted: dict[str, int]


class Executor:
    """Runs the plans of a compiled model. Several threads may use it at once: ``streams`` of them share the processors.

    ``last`` is the tier of the last run. Packed weights are kept in the folder ``cache``. A plan with a time limit runs
    on NumPy, where the time is checked before each layer.
    """

    def __init__(self, wanted: Tier = "auto", streams: int = 1, cache: Path | None = None) -> None:
        self.last: Literal["numpy", "compiled"] = "numpy"
        self._streams = streams
        self._wanted = wanted if wanted == "numpy" or has_kernels() else "numpy"
        self._packs = Packs(cache)
        self._lowered: weakref.WeakKeyDictionary[Plan, Programs | str] = weakref.WeakKeyDictionary()
        self._runs: weakref.WeakKeyDictionary[Plan, int] = weakref.WeakKeyDictionary()
        self._lock, self._lowering = Lock(), Lock()
        self._compiled = 0
        self._numpy: Counter[str] = Counter()
        self._latest: Callable[[], Programs | None] = lambda: None

    @property
    def programs(self) -> list[Programs]:
        """The programs of each plan that has some."""
        with self._lock:
            return [each for each in self._lowered.values() if not isinstance(each, str)]

    @property
    def account(self) -> ExecutionRecord:
        """The counts of the runs so far."""
        with self._lock:
            program = next(iter(self._latest() or ()), None)
            return {
                "tier": self.last,
                "runs_by_tier": {"compiled": self._compiled, "numpy": dict(self._numpy)},
                "bailouts": dict(sum((programs.bailouts for programs in self.programs), Counter[str]())),
                "steps": 0 if program is None else len(program.steps),
                "interpreted": {} if program is None else dict(program.interpreted),
            }

    def prepare(self, plan: Plan) -> Programs | None:
        """Lower a plan to calls of compiled kernels, if that is worth it; None where NumPy computes the next run."""
        try:
            return self._programs_of(plan)
        except Refused:
            return None

    def run(self, plan: Plan, request: Request, check: Callable[[], None]) -> tuple[Array, ...]:
        """The results, which may be in memory of the request; IRError where a layer fails.

        ``check`` raises IRError where the inputs do not fit together. It is called unless a program is for them.
        """
        programs = None
        try:
            programs = self._programs_of(plan)
            results, reason = programs.run(plan, request)
        except IRError:
            check()
            raise
        except Refused as refused:
            reason = str(refused)
        else:
            self._note(programs, reason)
            return results
        check()
        self._note(programs, reason)
        with self._lock:
            runs = self._runs[plan] = self._runs.get(plan, 0) + 1
        return execute(plan, replace(request, observers=[*request.observers, Forgetful()]) if runs == 1 else request)

    def _note(self, programs: Programs | None, reason: str) -> None:
        """Count a run, on NumPy if there is a reason."""
        with self._lock:
            self._latest = (lambda: None) if programs is None else weakref.ref(programs)
            self.last = "numpy" if reason else "compiled"
            if reason:
                self._numpy[reason] += 1
            else:
                self._compiled += 1

    def _programs_of(self, plan: Plan) -> Programs:
        """The programs of a plan; Refused where NumPy should compute it."""
        if self._wanted == "numpy":
            raise Refused(why_not() or "TIER is numpy")
        if plan.budget.seconds is not None:
            raise Refused("there is a time limit, which is checked before each layer")
        with self._lock:
            found = self._lowered.get(plan)
        if found is None:
            if self._wanted == "auto" and self._runs.get(plan, 0) < HOT and is_small(plan):
                raise Refused("the plan is small: it is lowered when it runs again")
            found = self._lower(plan)
        if isinstance(found, str):
            raise Refused(found)
        return found

    def _lower(self, plan: Plan) -> Programs | str:
        """Lower a plan; a text says why it stays on NumPy."""
        with self._lowering, collection_paused():
            found = self._lowered.get(plan)
            if found is None:
                from irrun.runtime.programs import Programs

                try:
                    found = Programs(plan, self._packs, self._streams)
                    release(plan)
                except Refused as refused:
                    found = str(refused)
                except MemoryError:
                    found = "there is not enough memory to lower the plan"
                with self._lock:
                    self._lowered[plan] = found
        return found


def is_small(plan: Plan) -> bool:
    """Return whether NumPy runs a plan in less time than it takes to lower it."""
    made = sum(fact.least_bytes for step in plan.steps for fact in step.facts)
    given = sum(array.nbytes for array in plan.slots if array is not None)
    return made + given + sum(_weight_bytes(step.node.op) for step in plan.steps) < _SMALL


def _weight_bytes(op: object) -> int:
    """The bytes of weights that an operation holds itself."""
    weights = getattr(op, "weights", ())
    return sum(each.nbytes for each in (weights if isinstance(weights, tuple) else (weights,)))
