"""Plans whose tensors are rounded, as an engine in lower precision rounds them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.debugging.cutting import model_of
from irrun.debugging.faults import DebugError
from irrun.debugging.ports import in_type_of
from irrun.debugging.statistics import HALF_MAX
from irrun.debugging.stopping import AS_WRITTEN
from irrun.kernels.casting import rounded
from irrun.model import Loaded
from irrun.model.arguments import accept
from irrun.model.config import read_config
from irrun.ops._declared.fused.base import Fused
from irrun.optimize.half_precision import in_f32 as widened
from irrun.runtime import Observer, Plan, Request, Step, execute
from irrun.runtime.plan import PlannedBody
from irrun.tensor import Array
from irrun.tensor.element_type import BY_NAME

PRECISIONS: Final = ("bf16", "f16", "int8")

BFLOAT_MAX: Final = 2.0**127 * (2 - 2.0**-7)
"""The largest finite number of bf16."""

_SIGNIFICANT: Final = frozenset({"Interpolate", "ROIPooling"})
"""Layers beside products at which OpenVINO ends the part that stays in f32."""

_PASSED: Final = ("Transposed", "Backprop")
"""Words in the types of products at which the part that stays in f32 does not end: OpenVINO has left them out."""

_CHANNELS: Final = {"Convolution": (0,), "GroupConvolution": (0, 1), "ConvolutionBackpropData": (1,)}
"""The axes of weights that have a scale for each element."""


def is_product(step: Step) -> bool:
    """Return whether a step multiplies tensors, whose operands are rounded."""
    return bool(step.node.op is not None and step.node.op.factors) or hasattr(step.node.op, "in_precision")


class Exact(NamedTuple):
    """Steps that stay in f32 where others are rounded: wholly, or in their results only."""

    steps: frozenset[int]
    results: frozenset[int]


_NONE: Final = Exact(frozenset(), frozenset())


def exact_in(plan: Plan, precision: str) -> Exact:
    """Return what an engine leaves in f32.

    In bf16 that is what leads to an output without a product after it, along residuals too, as in OpenVINO
    (``Graph::EnforceInferencePrecision``): a product that is fused with such a layer has exact results. In int8 it is
    all but the products, and their results. In f16 it is nothing: what overflows does so wherever it is.
    """
    if precision == "f16":
        return _NONE
    if precision == "int8":
        products = {n for n, step in enumerate(plan.steps) if is_product(step)}
        return Exact(frozenset(range(len(plan.steps))) - products, frozenset(products))
    makers = {slot: number for number, step in enumerate(plan.steps) for slot in step.outputs}
    waiting = [makers[slot] for slot in plan.results if slot in makers]
    steps: set[int] = set()
    results: set[int] = set()
    while waiting:
        number = waiting.pop()
        step = plan.steps[number]
        if number in steps or number in results or step.node.type in _SIGNIFICANT:
            continue
        slots = step.inputs
        if is_product(step) and not any(word in step.node.type for word in _PASSED):
            if not _is_followed(step):
                continue
            results.add(number)
            slots = tuple(slot for port, slot in enumerate(slots) if port not in _multiplied(step))
        else:
            steps.add(number)
        waiting += [makers[slot] for slot in slots if slot in makers]
    return Exact(frozenset(steps), frozenset(results))


def _factors(step: Step) -> tuple[int, ...]:
    return step.node.op.factors if step.node.op is not None else ()


def _is_followed(step: Step) -> bool:
    """Return whether a product is fused with a layer behind it. The bias of a convolution is no such layer."""
    if "Convolution" not in step.node.type:
        return len(step.layers) > 1
    has_summand = len([slot for slot in step.inputs if slot]) > 1
    return isinstance(step.node.op, Fused) and (has_summand or getattr(step.node.op, "activation", None) is not None)


def _multiplied(step: Step) -> tuple[int, ...]:
    """Return the inputs that are operands of products; the others of a fused step are added."""
    return _factors(step) or ((0, 1, 2) if step.node.type == "FusedAttention" else (0,))


def steps_that_round(plan: Plan, precision: str, *, every: bool = False) -> list[int]:
    """Return the numbers of the steps that an engine rounds, in their operands or their results; of ``every`` step."""
    exact = exact_in(plan, precision) if not every or precision == "int8" else _NONE
    return [
        number
        for number, step in enumerate(plan.steps)
        if number not in exact.steps and _has_floats(step) and "state" not in step.asks
    ]


def _has_floats(step: Step) -> bool:
    return any(type.is_float for type in step.types) or bool(step.bodies)


def rounded_plan(plan: Plan, precision: str, chosen: Collection[int], *, every: bool = False) -> Plan:
    """Return a plan in which the operands and the results of some steps are rounded.

    With ``every`` also the results of those that an engine leaves in f32.
    """
    if precision not in PRECISIONS:
        raise DebugError(f'there is no precision "{precision}", expected {", ".join(PRECISIONS)}')
    numbers = set(chosen)
    exact = exact_in(plan, precision) if not every or precision == "int8" else _NONE
    constant = constant_slots(plan)
    steps = list(plan.steps)
    for number in numbers:
        steps[number] = rounded_step(steps[number], precision, constant, results=number not in exact.results)
    return replace(plan, steps=tuple(steps))


def in_f32(model: Loaded) -> Loaded:
    """Return a model whose layers compute in f32 what the file declares as f16 or bf16."""
    return model_of(model, *widened(model.graph, model.facts))


def run_rounded(model: Loaded, inputs: Any, precision: str, observers: Sequence[Observer] = ()) -> tuple[Array, ...]:
    """Run a model as written, in f32 but for the operands and the results of all layers, which are rounded."""
    settings = read_config(AS_WRITTEN)
    wide = in_f32(model)
    plan = wide.plan(settings.optimize, settings.budget)
    arrays = accept(wide.inputs, inputs_of(wide, inputs), plan.parameter_types, wide.means())
    rounded = rounded_plan(plan, precision, range(len(plan.steps)), every=True)
    request = Request(arrays, observers=observers, budget=rounded.budget)
    return tuple(array.copy() for array in execute(rounded, request))


def inputs_of(model: Loaded, inputs: Any) -> dict[int, Array]:
    """Return inputs, by port or in their order, by place and in the element types of a model."""
    pairs = inputs.items() if isinstance(inputs, Mapping) else enumerate(inputs)
    ports = ((model.input(key), np.asarray(value)) for key, value in pairs)
    return {port.index: in_type_of(port, value) for port, value in ports}


def constant_slots(plan: Plan) -> frozenset[int]:
    """Return the slots of constants."""
    return frozenset(slot for slot, value in enumerate(plan.slots) if value is not None)


def rounded_step(step: Step, precision: str, constant: Collection[int] = (), *, results: bool = True) -> Step:
    """Return a step with rounded operands, and rounded ``results``; ``constant`` are the slots of constants."""
    op, run, factors = step.node.op, step.run, _factors(step)
    if hasattr(op, "in_precision") and precision != "int8":
        run = op.in_precision(BY_NAME[precision]).run  # type: ignore[union-attr]
    operands = _operands(step, factors, precision, constant)
    bodies = step.bodies and {tag: _rounded_body(body, precision) for tag, body in step.bodies.items()}

    def computed(*arrays: Any, **context: Any) -> Any:
        given = [operands[port](array) if port in operands else array for port, array in enumerate(arrays)]
        made = run(*given, **context)
        if not results:
            return made
        is_several = isinstance(made, tuple | list)
        return tuple(_narrow(item, precision) for item in made) if is_several else _narrow(made, precision)

    return step._replace(run=computed, bodies=bodies)


def _rounded_body(body: PlannedBody, precision: str) -> PlannedBody:
    return body._replace(plan=rounded_plan(body.plan, precision, range(len(body.plan.steps)), every=True))


def _operands(
    step: Step, factors: Sequence[int], precision: str, constant: Collection[int]
) -> Mapping[int, Callable[[Any], Any]]:
    """Return the function that rounds each operand."""
    if precision != "int8":
        held = [port for port, slot in enumerate(step.inputs) if slot in constant]
        stored = dict.fromkeys(held, _stored) if precision == "f16" else {}
        return {**{port: partial(_narrow, precision=precision) for port in factors}, **stored}
    found: dict[int, Callable[[Any], Any]] = {}
    for port in factors:
        is_weight = port < len(step.inputs) and step.inputs[port] in constant
        axes = _axes(step, port) if is_weight else ()
        found[port] = partial(_in_levels, axes=axes)
    return found


def _axes(step: Step, port: int) -> tuple[int, ...]:
    if step.node.type == "MatMul":
        is_transposed = getattr(step.node.op, "transpose_b" if port else "transpose_a", False)
        return (-2,) if is_transposed == bool(port) else (-1,)
    return _CHANNELS.get(step.node.type, ())


def _narrow(array: Any, precision: str) -> Any:
    """Return f32 rounded to a precision; anything else as it is. Numbers beyond the range of bf16 become its largest.

    Those beyond the range of f16 become infinite, except constants: masks are to stay finite.
    """
    if not isinstance(array, np.ndarray) or array.dtype != np.float32:
        return array
    return rounded(_clipped(array, BFLOAT_MAX) if precision == "bf16" else array, precision)


def _clipped(array: Any, most: float) -> Any:
    """Return f32 with finite numbers at most of a magnitude; anything else as it is."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float32:
        return array
    return np.where(np.isinf(array), array, np.clip(array, np.float32(-most), np.float32(most)))


def _stored(array: Any) -> Any:
    """Return f32 as a constant of f16 holds it: small numbers may become 0, large ones its largest."""
    return _narrow(_clipped(array, HALF_MAX), "f16")


def _in_levels(array: Any, axes: tuple[int, ...]) -> Any:
    """Return floats rounded to 255 levels around zero, with a scale for each element along some axes."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or not array.size:
        return array
    kept = {axis % array.ndim for axis in axes}
    others = tuple(axis for axis in range(array.ndim) if axis not in kept)
    scale = np.abs(array).max(axis=others, keepdims=True) / np.float32(127)
    levels: Array = np.rint(array / np.where(scale > 0, scale, 1))
    return (levels * scale).astype(np.float32)
