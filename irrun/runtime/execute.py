"""Plan -> outputs: calls the kernels in order. Re-entrant: all that changes is local to a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

import numpy as np

from irrun.diagnostics import Diagnostic, IRError, OpError
from irrun.diagnostics.internal import out_of_memory
from irrun.diagnostics.signals import is_of_signal
from irrun.document.places import at_layer, op_diagnostic
from irrun.jobs.progress import told
from irrun.ops._declared.fused.base import Fused
from irrun.ops.calling import conform
from irrun.ops.context import BodyCall
from irrun.runtime.budget import Budget, OverBudget
from irrun.runtime.faults import FailedAtRunTime
from irrun.runtime.memory import Memory
from irrun.runtime.plan import Plan, PlannedBody, Step
from irrun.runtime.state import State
from irrun.tensor import Array

_BUFFERED: Final = 1024
"""Elements that NumPy copies at a time if the memory layout of an operand differs from that of the others."""


class Observer(Protocol):
    """Sees every step before and after it runs: for tracing, profiling, dumping.

    Arrays may be overwritten by the next run.
    """

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None: ...

    def after(self, step: Step, outputs: Sequence[Array]) -> None: ...


def execute(
    plan: Plan,
    inputs: Sequence[Array],
    state: State,
    observers: Sequence[Observer] = (),
    memory: Memory | None = None,
) -> tuple[Array, ...]:
    """The results for inputs in the carriers of their types.

    ``state`` holds the variables and is updated. Large arrays are taken from ``memory``, which no other run may use
    meanwhile; results may lie in it.
    """
    try:
        with Numerics():
            results = Run(state, observers, memory if memory is not None else Memory(), plan.budget).plan(plan, inputs)
    except BaseException:
        state.discard()
        raise
    state.commit()
    return results


class Numerics(np.errstate):
    """Floating-point errors are results, and what NumPy copies on the way stays in the nearest cache."""

    def __init__(self) -> None:
        super().__init__(all="ignore")

    def __enter__(self) -> None:
        super().__enter__()
        np.setbufsize(_BUFFERED)


class Run:
    """A run of a plan and its bodies."""

    def __init__(self, state: State, observers: Sequence[Observer], memory: Memory, budget: Budget) -> None:
        self.state = state
        self.observers = observers
        self.memory = memory
        self.budget = budget
        self.deadline: float | None = budget.deadline

    def plan(self, plan: Plan, inputs: Sequence[Array]) -> tuple[Array, ...]:
        slots: list[Any] = list(plan.slots)
        for slot, array in zip(plan.parameters, inputs, strict=True):
            slots[slot] = array
        if self.observers or self.deadline is not None:
            self._observed(plan, slots)
        else:
            self._steps(plan, slots)
        return tuple(slots[index] for index in plan.results)

    def _steps(self, plan: Plan, slots: list[Any]) -> None:
        step: Step | None = None
        arrays: list[Any] = []
        ndarray = np.ndarray
        try:
            for step in told(plan.steps, "running"):
                arrays = [slots[index] for index in step.inputs]
                if step.plain is not None:
                    result = step.run(*arrays, memory=self.memory) if step.asks else step.run(*arrays)
                    if result.__class__ is not ndarray or result.dtype is not step.plain:
                        (result,) = conformed(step, result)
                    slots[step.outputs[0]] = result
                    del result
                else:
                    self._call(step, arrays, slots)
                arrays.clear()
                for index in step.frees:
                    slots[index] = None
        except FAILURES as error:
            raise step_error(step, arrays, error) from _cause(error)

    def _observed(self, plan: Plan, slots: list[Any]) -> None:
        for step in told(plan.steps, "running"):
            arrays = [slots[index] for index in step.inputs]
            for observer in self.observers:
                observer.before(step, arrays)
            try:
                self.budget.check_time(self.deadline)
                self._call(step, arrays, slots)
            except FAILURES as error:
                raise step_error(step, arrays, error) from _cause(error)
            for observer in self.observers:
                observer.after(step, [slots[index] for index in step.outputs])
            arrays.clear()
            for index in step.frees:
                slots[index] = None

    def _call(self, step: Step, arrays: Sequence[Any], slots: list[Any]) -> None:
        """Any step: writes the outputs into their slots."""
        results = conformed(step, step.run(*arrays, **self.asked(step)))
        for index, result in zip(step.outputs, results, strict=True):
            slots[index] = result

    def asked(self, step: Step) -> dict[str, Any]:
        """Return the keyword arguments that a kernel asks for."""
        context: dict[str, Any] = {}
        for asked in step.asks:
            if asked == "memory":
                context[asked] = self.memory
            elif asked == "state":
                context[asked] = self.state
            elif asked == "bodies":
                bodies = step.bodies or {}
                calls = {
                    tag: BodyCall(body.ports, self._body(body), body.plan.parameter_facts, body.results)
                    for tag, body in bodies.items()
                }
                context[asked] = {tag: self.budget.counted(call, self.deadline) for tag, call in calls.items()}
        return context

    def _body(self, body: PlannedBody) -> Callable[[Sequence[Array]], tuple[Array, ...]]:
        return lambda inputs: self.plan(body.plan, inputs)


def compute(run: Run, step: Step, arrays: Sequence[Any]) -> list[Array]:
    """Return the outputs of one step of a run; IRError where it fails."""
    try:
        run.budget.check_time(run.deadline)
        return conformed(step, step.run(*arrays, **run.asked(step)))
    except FAILURES as error:
        raise step_error(step, arrays, error) from _cause(error)


def conformed(step: Step, returned: Any) -> list[Array]:
    """Return the outputs of a kernel as arrays in the carriers of their types."""
    results = returned if isinstance(returned, tuple | list) else (returned,)
    return [
        result
        if result.__class__ is np.ndarray and result.dtype is type.dtype and not type.is_narrow
        else conform(result, type)
        for result, type in zip(results, step.types, strict=True)
    ]


FAILURES = (OpError, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError, MemoryError)


def _cause(error: Exception) -> Exception | None:
    return None if isinstance(error, OpError) else error


def step_error(step: Step | None, arrays: Sequence[Array | None], error: Exception) -> IRError:
    """Return the finding about a step that failed; what the handler of a signal raised passes through."""
    if is_of_signal(error):
        raise error
    if step is None:
        if isinstance(error, OpError):
            return IRError([error.at()])
        return IRError([FailedAtRunTime(what=f"the computation failed: {error}").at()])
    layer = step.node.layer
    return IRError([op_diagnostic(error, layer) if isinstance(error, OpError) else _failed(step, arrays, error)])


def _failed(step: Step, arrays: Sequence[Array | None], error: Exception) -> Diagnostic:
    notes = tuple(
        f"input {index}: {array.dtype}{list(array.shape)}" for index, array in enumerate(arrays) if array is not None
    )
    if isinstance(step.node.op, Fused) and len(step.node.op.parts) > 1:
        notes += (f"the step does what {', '.join(step.node.op.parts)} do",)
    layer = step.node.layer
    if isinstance(error, MemoryError):
        return op_diagnostic(OverBudget(out_of_memory(error).message), layer, notes=notes)
    return at_layer(FailedAtRunTime(what=f"the computation failed: {error}"), layer, notes)
