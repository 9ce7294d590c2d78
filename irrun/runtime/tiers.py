"""Choose the tier of a plan: compiled kernels where they compute enough of it, otherwise NumPy."""

from __future__ import annotations

import importlib.util
import warnings
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypedDict

from irrun.diagnostics.version import __version__
from irrun.kernels.locks import Lock
from irrun.kernels.threads import release_scratch
from irrun.ops._declared.fused.base import Fused
from irrun.runtime.execute import Observer, execute
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Plan, Step
from irrun.runtime.state import State
from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.runtime.lowering.builder import Packs
    from irrun.runtime.runner import Runner

Check = Callable[[], None]
"""Raises IRError where inputs do not fit together."""

Tier = Literal["auto", "numpy", "compiled"]

UNUSABLE: Final = "compiled kernels cannot be used"
"""The beginning of the warning that there are kernels, but none for this processor or version."""

HOT: Final = 2
"""Runs of a small plan on NumPy before it is lowered."""

SEEN_FIRST: Final = "sizes depend on values, and were seen first"
"""Why NumPy computes a run of a plan that is lowered then."""

_SMALL: Final = 1 << 22
"""Bytes of weights and results of a small plan."""


@cache
def backend(precision: str, tier: str) -> str:
    """Return what multiplies operands of a precision on a tier."""
    if precision == "bf16" and tier == "compiled":
        from irrun_kernels.amx_check import multiplies_bf16
        from irrun_kernels.backends import OF_BF16, usable

        return usable("bf16 tiles")[0].name if multiplies_bf16() else OF_BF16.name
    return "f32" if precision == "f32" else "f32 with rounded operands"


def faster_precision() -> str | None:
    """Return what the processor would do faster in another precision than f32; None if it would not."""
    if why_not() is not None:
        return None
    from irrun_kernels.backends import HAS_BF16_TILES, OF_BF16

    if not HAS_BF16_TILES and not OF_BF16.function:
        return None
    rounded = "operands of products are rounded to 8 significant bits"
    return f"this processor multiplies bf16: --precision bf16 reads prompts faster; {rounded} (docs/decisions/0017)"


@cache
def why_not() -> str | None:
    """Return why there are no compiled kernels here; None if there are."""
    if importlib.util.find_spec("irrun_kernels") is None:
        return "irrun-kernels is not installed; pip install ./kernels"
    try:
        import irrun_kernels

        if irrun_kernels.__version__ != __version__:
            return f"irrun-kernels has version {irrun_kernels.__version__}, expected {__version__}"
        from irrun_kernels.processor import unavailable
    except (ImportError, SyntaxError, AttributeError, NameError) as error:
        return f"irrun-kernels is damaged ({error}); install it again"
    return unavailable()


@cache
def has_kernels() -> bool:
    """Return whether there are compiled kernels for this processor. Warn if there are some that it cannot use."""
    if why_not() is not None and importlib.util.find_spec("irrun_kernels") is not None:
        warnings.warn(f"{UNUSABLE}, and models run on NumPy: {why_not()}", RuntimeWarning, 2)
    return why_not() is None


def tier_text(tier: str) -> str:
    """Return the tier of a run in words, and why there is no other."""
    if tier == "compiled":
        from irrun_kernels.host import LEVEL

        return f"compiled kernels, {LEVEL.name}"
    return "NumPy" if why_not() is None else f"NumPy; {why_not()}"


class Account(NamedTuple):
    """The counts of the runs of a compiled model.

    ``compiled`` is the number of those on compiled kernels, ``numpy`` counts the others by reason, and ``bailouts`` the
    runs that a program could not finish. Of the ``steps`` of the program that ran last, NumPy computed those that
    ``interpreted`` counts, by reason.
    """

    compiled: int
    numpy: Counter[str]
    bailouts: Counter[str]
    steps: int
    interpreted: Counter[str]


class RunsByTier(TypedDict):
    """The number of runs on compiled kernels, and of those on NumPy by reason."""

    compiled: int
    numpy: dict[str, int]


class ExecutionRecord(TypedDict):
    """The tier of the last run, and the counts of all runs, as those of ``Account``."""

    tier: Literal["numpy", "compiled"]
    runs_by_tier: RunsByTier
    bailouts: dict[str, int]
    steps: int
    interpreted: dict[str, int]


class Tiers:
    """Runs the plans of a compiled model. Several threads may use it at once: ``streams`` of them share the processors.

    A plan with a time limit runs on NumPy, where the time is checked before each layer.
    """

    def __init__(self, wanted: Tier = "auto", streams: int = 1) -> None:
        self._streams = streams
        self._wanted = wanted if wanted == "numpy" or has_kernels() else "numpy"
        self._packs: Packs = weakref.WeakValueDictionary()
        self._lowered: weakref.WeakKeyDictionary[Plan, _Lowered] = weakref.WeakKeyDictionary()
        self._lock = Lock()
        self._compiled = 0
        self._numpy: Counter[str] = Counter()
        self._latest: Callable[[], Runner | None] = lambda: None
        self.last: Literal["numpy", "compiled"] = "numpy"

    @property
    def account(self) -> Account:
        """The counts of the runs so far."""
        with self._lock:
            runners = [each.runner for each in self._lowered.values() if each.runner is not None]
            bailouts = sum((runner.bailouts for runner in runners), Counter[str]())
            recorded = Counter({SEEN_FIRST: sum(runner.recorded for runner in runners)})
            runner = self._latest()
            program = runner.programs[0] if runner is not None and runner.programs else None
            numpy = self._numpy + recorded
            steps, interpreted = (0, Counter[str]()) if program is None else (len(program.steps), program.interpreted)
            return Account(self._compiled - recorded.total(), numpy, bailouts, steps, interpreted)

    def as_dict(self) -> ExecutionRecord:
        """Return the tier of the last run, and the counts of all runs, ready for JSON."""
        account = self.account
        return {
            "tier": self.last,
            "runs_by_tier": {"compiled": account.compiled, "numpy": dict(account.numpy)},
            "bailouts": dict(account.bailouts),
            "steps": account.steps,
            "interpreted": dict(account.interpreted),
        }

    def run(
        self,
        plan: Plan,
        inputs: Sequence[Array],
        state: State,
        observers: Sequence[Observer],
        memory: Memory,
        check: Check,
    ) -> tuple[Array, ...]:
        """The results. They may lie in ``memory``. ``check`` is due unless a program is for these inputs."""
        lowered = self.prepare(plan)
        runner = lowered.runner
        if runner is None:
            results: tuple[Array, ...] | str = self._reason(plan, lowered)
        else:
            results = runner.run(plan, inputs, state, observers, memory, check)
        if not isinstance(results, str):
            self._note(runner)
            return results
        check()
        self._note(runner, results)
        lowered.runs += 1
        return execute(plan, inputs, state, [*observers, _Forgetful()] if lowered.runs == 1 else observers, memory)

    def _note(self, runner: Runner | None, reason: str = "") -> None:
        """Count a run, on NumPy if there is a reason."""
        with self._lock:
            self._latest = (lambda: None) if runner is None else weakref.ref(runner)
            self.last = "numpy" if reason else "compiled"
            if reason:
                self._numpy[reason] += 1
            else:
                self._compiled += 1

    def _reason(self, plan: Plan, lowered: _Lowered) -> str:
        """Return why a plan without a runner runs on NumPy."""
        if lowered.is_done:
            return "compiled kernels compute too few of its steps, or need too much memory"
        if self._wanted == "numpy":
            return why_not() or "TIER is numpy"
        if plan.budget.seconds is not None:
            return "there is a time limit, which is checked before each layer"
        return "the plan is small: it is lowered when it runs again"

    def prepare(self, plan: Plan) -> _Lowered:
        """Lower a plan to calls of compiled kernels, if that is worth it."""
        with self._lock:
            found = self._lowered.get(plan)
            if found is None:
                found = self._lowered[plan] = _Lowered(self._packs, self._streams)
        if found.is_done or self._wanted == "numpy" or plan.budget.seconds is not None:
            return found
        if self._wanted == "compiled" or found.runs >= HOT or not is_small(plan):
            found.prepare(plan)
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


class _Forgetful:
    """Frees what the kernel of a step computed on first use, as soon as the step is done: there may be no other run."""

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        pass

    def after(self, step: Step, outputs: Sequence[Array]) -> None:  # noqa: ARG002
        op = step.node.op
        if isinstance(op, Fused):
            op.release()
            release_scratch()


def release(plan: Plan) -> None:
    """Free what NumPy's kernels computed on first use."""
    from irrun.kernels.pages import trim

    for step in plan.steps:
        if isinstance(step.node.op, Fused):
            step.node.op.release()
    trim()


class _Lowered:
    """The runner of a plan, if compiled kernels compute enough of it. ``runs`` counts those on NumPy."""

    def __init__(self, packs: Packs, streams: int) -> None:
        self._streams = streams
        self.runs = 0
        self.runner: Runner | None = None
        self.is_done: bool = False
        self._packs = packs
        self._lock = Lock()

    def prepare(self, plan: Plan) -> None:
        """Lower the plan, unless that is done. It stays on NumPy where there is not enough memory."""
        with self._lock:
            if not self.is_done:
                with suppress(MemoryError):
                    self.runner = self._made(plan)
                self.is_done = True

    def _made(self, plan: Plan) -> Runner | None:
        from irrun.runtime.runner import Runner

        runner = Runner(self._packs, self._streams)
        runner.prepare(plan)
        if runner.is_hopeless:
            return None
        release(plan)
        return runner
