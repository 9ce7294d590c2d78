"""(Plan, Request) -> outputs on NumPy: calls the kernels in order. Re-entrant: all that changes is local to a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.diagnostics import Diagnostic, IRError, OpError
from irrun.diagnostics.internal import out_of_memory
from irrun.diagnostics.signals import is_of_signal
from irrun.document.places import at_layer, op_diagnostic
from irrun.jobs.progress import told
from irrun.ops._declared.fused.base import Fused
from irrun.ops.calling import conform
from irrun.ops.context import BodyCall
from irrun.runtime.budget import OverBudget
from irrun.runtime.faults import FailedAtRunTime
from irrun.runtime.plan import Plan, PlannedBody, Step
from irrun.runtime.request import Observer, Request
from irrun.tensor import Array, ElementType

_BUFFERED: Final = 1024
"""Elements that NumPy copies at a time if the memory layout of an operand differs from that of the others."""


def execute(plan: Plan, request: Request) -> tuple[Array, ...]:
    """The results of a request on NumPy; IRError where a layer fails."""
    try:
        with Numerics():
            results = run_plan(plan, request.inputs, request)
    except BaseException:
        request.state.discard()
        raise
    request.state.commit()
    return results


class Numerics(np.errstate):
    """Floating-point errors are results, and what NumPy copies on the way stays in the nearest cache."""

    def __init__(self) -> None:
        super().__init__(all="ignore")

    def __enter__(self) -> None:
        super().__enter__()
        np.setbufsize(_BUFFERED)


def run_plan(plan: Plan, inputs: Sequence[Array], request: Request) -> tuple[Array, ...]:
    """The results of a plan, or of the plan of a body, as a part of a request."""
    slots: list[Any] = list(plan.slots)
    for slot, array in zip(plan.parameters, inputs, strict=True):
        slots[slot] = array
    for step in told(plan.steps, "running"):
        arrays = [slots[index] for index in step.inputs]
        for index, result in zip(step.outputs, compute(step, arrays, request, request.observers), strict=True):
            slots[index] = result
        for index in step.frees:
            slots[index] = None
    return tuple(slots[index] for index in plan.results)


def compute(step: Step, arrays: Sequence[Any], request: Request, observers: Sequence[Observer] = ()) -> list[Array]:
    """Return the outputs of one step of a run, which observers see; IRError where it fails."""
    for observer in observers:
        observer.before(step, arrays)
    try:
        if request.deadline is not None:
            request.budget.check_time(request.deadline)
        returned = step.run(*arrays, **asked(step, request)) if step.asks else step.run(*arrays)
        results = conformed(step, returned)
    except FAILURES as error:
        raise step_error(step, arrays, error) from (None if isinstance(error, OpError) else error)
    for observer in observers:
        observer.after(step, results)
    return results


def asked(step: Step, request: Request) -> dict[str, Any]:
    """Return the keyword arguments that the kernel of a step asks for."""
    context: dict[str, Any] = {}
    for name in step.asks:
        if name == "state":
            context[name] = request.state
        elif name == "bodies":
            context[name] = {tag: _body(body, request) for tag, body in (step.bodies or {}).items()}
    return context


def _body(body: PlannedBody, request: Request) -> BodyCall:
    """Return the call of a body, whose iterations are counted."""
    call = BodyCall(
        body.ports, lambda inputs: run_plan(body.plan, inputs, request), body.plan.parameter_facts, body.results
    )
    return request.budget.counted(call, request.deadline)


def conformed(step: Step, returned: Any) -> list[Array]:
    """Return the outputs of a kernel as arrays in the carriers of their types."""
    types = step.types
    if len(types) == 1 and _is_carried(returned, types[0]):
        return [returned]
    results = returned if isinstance(returned, tuple | list) else (returned,)
    pairs = zip(results, types, strict=True)
    return [result if _is_carried(result, type) else conform(result, type) for result, type in pairs]


def _is_carried(result: Any, type: ElementType) -> bool:
    """Return whether a result is an array in the carrier of a type that needs no rounding."""
    return result.__class__ is np.ndarray and result.dtype is type.dtype and not type.is_narrow


FAILURES = (OpError, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError, MemoryError)


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
