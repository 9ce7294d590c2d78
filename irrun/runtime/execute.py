"""Plan -> outputs: calls the kernels one after the other. Re-entrant: all that changes is local to a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from irrun.diagnostics import Anchor, Diagnostic, IRError, OpError, Severity
from irrun.graph.bind import layer_ref, op_diagnostic
from irrun.ops.calling import conform
from irrun.ops.context import BodyCall
from irrun.runtime.plan import Plan, PlannedBody, Step
from irrun.runtime.state import State
from irrun.tensor import Array


class Observer(Protocol):
    """Sees every step before and after it runs: for tracing, profiling, dumping."""

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None: ...

    def after(self, step: Step, outputs: Sequence[Array]) -> None: ...


def execute(plan: Plan, inputs: Sequence[Array], state: State, observers: Sequence[Observer] = ()) -> tuple[Array, ...]:
    """The results for inputs in the carriers of their types; ``state`` holds the variables and is updated."""
    with np.errstate(all="ignore"):
        results = _execute(plan, inputs, state, observers)
    state.commit()
    return results


def _execute(plan: Plan, inputs: Sequence[Array], state: State, observers: Sequence[Observer]) -> tuple[Array, ...]:
    slots: list[Any] = list(plan.slots)
    for slot, array in zip(plan.parameters, inputs, strict=True):
        slots[slot] = array
    for step in plan.steps:
        arrays = [slots[index] for index in step.inputs]
        for observer in observers:
            observer.before(step, arrays)
        outputs = _call(step, arrays, state, observers)
        for index, array in zip(step.outputs, outputs, strict=True):
            slots[index] = array
        for observer in observers:
            observer.after(step, outputs)
        for index in step.frees:
            slots[index] = None
    return tuple(slots[index] for index in plan.results)


def _call(step: Step, arrays: Sequence[Array | None], state: State, observers: Sequence[Observer]) -> list[Array]:
    context: dict[str, Any] = {}
    if step.state:
        context["state"] = state
    if step.bodies is not None:
        context["bodies"] = {
            tag: BodyCall(body.ports, _body(body, state, observers), body.results) for tag, body in step.bodies.items()
        }
    try:
        returned = step.run(*arrays, **context)
    except OpError as error:
        raise IRError([_located(step, error)]) from None
    except (ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError, MemoryError) as error:
        raise IRError([_failed(step, arrays, error)]) from error
    results = returned if isinstance(returned, tuple | list) else (returned,)
    return [
        result
        if result.__class__ is np.ndarray and result.dtype is type.dtype and not type.is_narrow
        else conform(result, type)
        for result, type in zip(results, step.types, strict=True)
    ]


def _body(
    body: PlannedBody, state: State, observers: Sequence[Observer]
) -> Callable[[Sequence[Array]], tuple[Array, ...]]:
    return lambda inputs: _execute(body.plan, inputs, state, observers)


def _located(step: Step, error: OpError) -> Diagnostic:
    if step.node.layer is None:
        return Diagnostic(error.code, error.message)
    return op_diagnostic(error, step.node.layer, ())


def _failed(step: Step, arrays: Sequence[Array | None], error: Exception) -> Diagnostic:
    notes = tuple(
        f"input {index}: {array.dtype}{list(array.shape)}" for index, array in enumerate(arrays) if array is not None
    )
    layer = step.node.layer
    return Diagnostic(
        "IR802",
        f"the computation failed: {error}",
        Anchor(layer.element) if layer is not None else Anchor(),
        Severity.ERROR,
        layer_ref(layer) if layer is not None else None,
        notes=notes,
    )
