"""Choose the tier of a plan: NumPy at first, compiled kernels once they are worth it and ready."""

from __future__ import annotations

import importlib.util
import threading
import warnings
import weakref
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from irrun.diagnostics.installing import install
from irrun.kernels.locks import Lock
from irrun.kernels.threads import release_scratch, threads
from irrun.ops.fused.base import Fused
from irrun.runtime.budget import held_bytes
from irrun.runtime.execute import Observer, execute
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Plan, Step
from irrun.runtime.state import State
from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.runtime.lowering.builder import Packs
    from irrun.runtime.runner import Runner

Tier = Literal["auto", "numpy", "compiled"]

UNUSABLE: Final = "compiled kernels cannot be used"
"""The beginning of the warning that Numba is installed but cannot be used."""

HOT: Final = 2
"""Runs of a plan before it is compiled: what is run once needs no compiler."""


@cache
def backend(precision: str, tier: str) -> str:
    """Return what multiplies operands of a precision on a tier."""
    if precision == "bf16" and tier == "compiled":
        from irrun.kernels.compiled.amx_check import multiplies_halves
        from irrun.kernels.compiled.backends import OF_HALVES, usable

        return usable("bf16 tiles")[0].name if multiplies_halves() else OF_HALVES.name
    return "f32" if precision == "f32" else "f32 with rounded operands"


_FAILURES: Final[list[str]] = []
"""Why kernels cannot be compiled in this process, as soon as that is known."""


def can_compile() -> bool:
    """Return whether the extra ``jit`` is installed, and has not failed in this process."""
    return not _FAILURES and importlib.util.find_spec("numba") is not None


def failure() -> str | None:
    """Return why kernels cannot be compiled though Numba is installed; None where nothing has failed."""
    return _FAILURES[0] if _FAILURES else None


def _give_up(error: Exception) -> None:
    """Run all models of this process on NumPy from now on, with one warning."""
    reason = f"{type(error).__name__}: {error}".partition("\n")[0]
    if not _FAILURES:
        _FAILURES.append(reason)
        what = f"{UNUSABLE}, and models run on NumPy: {reason}; {install('jit')} installs what they need"
        warnings.warn(what, RuntimeWarning, 2)


class Tiers:
    """Runs the plans of a compiled model. Several threads may use it at once: ``streams`` of them share the processors.

    A plan with a time limit runs on NumPy, where the time is checked before each layer.
    """

    def __init__(self, wanted: Tier = "auto", streams: int = 1) -> None:
        self._streams = streams
        self._wanted = wanted if can_compile() else "numpy"
        self._packs: Packs = weakref.WeakValueDictionary()
        self._hot: weakref.WeakKeyDictionary[Plan, _Compiled] = weakref.WeakKeyDictionary()
        self._lock = Lock()
        self.last: Literal["numpy", "compiled"] = "numpy"

    def run(
        self, plan: Plan, inputs: Sequence[Array], state: State, observers: Sequence[Observer], memory: Memory
    ) -> tuple[Array, ...]:
        """The results. They may lie in ``memory``."""
        compiled = self._compiled(plan)
        if compiled.runner is not None:
            self.last = "compiled"
            return compiled.runner.run(plan, inputs, state, observers, memory)
        self.last = "numpy"
        is_young = compiled.runs <= (HOT if self._wanted == "auto" else 1)
        if is_young or compiled.is_compiling:
            observers = [*observers, _Forgetful(only_wide=not is_young)]
        try:
            return execute(plan, inputs, state, observers, memory)
        finally:
            if self._wanted == "auto" and is_young:
                memory.clear()
                release_scratch()

    def prepare(self) -> None:
        """Compile all plans that have run so far."""
        with self._lock:
            hot = list(self._hot.items())
        for plan, compiled in hot:
            if self._may_compile(plan):
                compiled.prepare(plan)

    def _may_compile(self, plan: Plan) -> bool:
        return self._wanted != "numpy" and plan.budget.seconds is None and not _FAILURES

    def _compiled(self, plan: Plan) -> _Compiled:
        with self._lock:
            found = self._hot.get(plan)
            if found is None:
                found = self._hot[plan] = _Compiled(self._packs, self._streams)
        found.runs += 1
        if not self._may_compile(plan):
            return found
        if self._wanted == "compiled":
            found.prepare(plan)
        elif found.runs > HOT:
            found.prepare_in_background(plan)
        return found


class _Forgetful:
    """Frees what the kernel of a step computed on first use, as soon as the step is done.

    Runs are slower, but few: later ones keep it, or use compiled kernels. With ``only_wide`` it frees only what takes
    more memory than what it is computed from.
    """

    def __init__(self, *, only_wide: bool) -> None:
        self._only_wide = only_wide

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:
        pass

    def after(self, step: Step, outputs: Sequence[Array]) -> None:  # noqa: ARG002
        op = step.node.op
        if isinstance(op, Fused) and (op.widens or not self._only_wide):
            op.release()
            release_scratch()


def release(plan: Plan) -> None:
    """Free what NumPy's kernels computed on first use."""
    from irrun.kernels.pages import trim

    for step in plan.steps:
        if isinstance(step.node.op, Fused):
            step.node.op.release()
    trim()


class _Compiled:
    """The runner of a plan, as soon as there is one."""

    def __init__(self, packs: Packs, streams: int = 1) -> None:
        self._streams = streams
        self.runs = 0
        self.runner: Runner | None = None
        self.is_compiling = False
        self._is_done = False
        self._packs = packs
        self._lock = Lock()

    def prepare_in_background(self, plan: Plan) -> None:
        """Begin to compile, unless that has begun."""
        if not (self._is_done or self.is_compiling):
            self.is_compiling = True
            try:
                threading.Thread(target=self.prepare, args=(plan,), name="irrun-compile", daemon=True).start()
            except (RuntimeError, MemoryError):
                # The system has no thread to spare: a later run tries again.
                self.is_compiling = False

    def prepare(self, plan: Plan) -> None:
        """Compile, unless that is done. Where it fails, the plan stays on NumPy."""
        with self._lock:
            if self._is_done:
                return
            self._is_done = self.is_compiling = True
            try:
                self._lower(plan)
            except MemoryError:
                self.runner = None
            except Exception as error:
                _give_up(error)
            finally:
                self.is_compiling = False

    def _lower(self, plan: Plan) -> None:
        from irrun.kernels.pages import forget_code
        from irrun.runtime.program import lower
        from irrun.runtime.runner import Runner

        release(plan)
        program = lower(plan, self._packs)
        memory = plan.budget.memory
        fits = memory is None or held_bytes(program.constants) + program.bytes(threads()) <= memory
        if program.is_worthwhile and fits:
            program.compile()
            forget_code("libllvmlite")
            self.runner = Runner(program, self._streams)
            release(plan)
