"""Element-wise functions: as the epilogue of another kernel, or as chains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.chain import Call
from irrun.kernels.chain import Chain as Functions
from irrun.kernels.elementwise import Elementwise
from irrun.ops.fused.fused_elementwise import FusedElementwise
from irrun.ops.quantization.fake_quantize import FakeQuantize
from irrun.runtime.lowering.builder import F32, Builder, broadcast, empty_as, in_order_of, is_f32, lowers, merged, share
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.symbolic import of_sizes
from irrun.runtime.view import Operand, View
from irrun_kernels.elementwise import ALIKE, AXES, COPY, OTHER, ROW, SCALAR, Chain, chain
from irrun_kernels.functions import BINARY, RUN, UNARY, End
from irrun_kernels.native import NOWHERE

_BINARY: Final[dict[Any, int]] = {
    getattr(np, name): len(UNARY) + number for number, name in enumerate(BINARY) if hasattr(np, name)
}
_REVERSED: Final = {
    len(UNARY) + BINARY.index(name): len(UNARY) + BINARY.index(other)
    for name, other in (("subtract", "subtract_from"), ("divide", "divide_into"))
}


def epilogue(activation: Elementwise | None) -> End | None:
    """Return the epilogue of a kernel; None if it does not have the function."""
    if activation is None:
        return End()
    if activation.name == "clamp":
        return End(low=activation.parameters[0], high=activation.parameters[1])
    if activation.name not in UNARY:
        return None
    alpha, beta = (*activation.parameters, 0.0, 0.0)[:2]
    return End(function=UNARY.index(activation.name), alpha=alpha, beta=beta)


@lowers(FusedElementwise)
def elementwise(op: FusedElementwise, builder: Builder, *inputs: Operand) -> View | None:
    """A chain of functions, in one call."""
    if not is_f32(*inputs):
        return None
    out = empty_as(builder, inputs[op.like], F32)
    return out if chained(builder, op.chain, inputs, out) else None


@lowers(FakeQuantize)
def quantized(op: FakeQuantize, builder: Builder, data: Operand, *given: Operand) -> View | None:
    """The nearest of some levels, with constant limits."""
    limits = [limit for limit in given if isinstance(limit, np.ndarray)]
    if len(limits) < len(given):
        return None
    if not is_f32(data, *limits) or op.auto_broadcast != "numpy" or op.levels > _MOST_LEVELS:
        return None
    low, high, output_low, output_high = (op.aligned(limit, data.ndim) for limit in limits)
    span = output_high - output_low
    if not (low < high).all() or (output_low + span != output_high).any():
        return None
    out = empty_as(builder, data, F32)
    steps = np.array(op.levels - 1, np.float32)
    inputs = [data, *map(np.asarray, (low, high, high - low, steps, span, output_low))]
    rint = Elementwise("rint", (), np.rint)
    calls = (
        Call(np.maximum, (0, 1), 7),
        Call(np.minimum, (7, 2), 7),
        Call(np.subtract, (7, 1), 7),
        Call(np.divide, (7, 3), 7),
        Call(np.multiply, (7, 4), 7),
        Call(rint, (7,), 7),
        Call(np.divide, (7, 4), 7),
        Call(np.multiply, (7, 5), 7),
        Call(np.add, (7, 6), 7),
    )
    return out if chained(builder, Functions(calls, 7, 1), inputs, out) else None


_MOST_LEVELS: Final = 1 << 16


def chained(builder: Builder, functions: Functions, inputs: Sequence[Operand], out: Operand) -> bool:
    """Lower a chain; False where a function or a layout has no kernel. ``out`` has no gaps."""
    calls = [_calls(call) for call in functions.calls]
    spread = [broadcast(builder, x, out.shape) for x in inputs]
    target, *spread = in_order_of(out, [out, *spread])
    straight = []
    for given, x in zip(inputs, spread, strict=True):
        if x.shape and x.shape[-1] != 1 and x.strides[-1] != 0 and x.strides[-1] != 4:
            if given.ndim != out.ndim or any(a != b for a, b in zip(given.shape, out.shape, strict=True)):
                return False
            whole = contiguous(builder, x)
            if whole is None:
                return False
            straight.append(whole)
        else:
            straight.append(x)
    axes = merged((target, *straight), AXES + 1)
    if axes is None or any(call is None for call in calls):
        return False
    if any(stride != 0 and stride != 4 for stride in axes[-1][1]):
        axes.append((1, (4,) * (1 + len(straight))))
    if len(axes) > AXES + 1:
        return False
    axes = [(1, (0,) * (1 + len(straight)))] * (AXES + 1 - len(axes)) + axes
    columns = axes[-1][0]
    sizes = [size for size, _ in axes[:-1]]
    operands: list[Any] = []
    for number, x in enumerate(straight, 1):
        strides = [each[number] for _, each in axes]
        wide = 1 if strides[-1] == 0 or columns == 1 else columns
        operands += [_kind(strides, [each[0] for _, each in axes], wide), builder.address(x), *strides[:-1], wide]
    runs = _runs(math.prod(sizes), columns)
    cost = sum(_cost(call) for call in functions.calls)
    each, tasks = share(runs, cost * out.size + 30 * runs * len(calls))
    flat = [one for several in calls if several is not None for one in several]
    table = [number for one in flat for number in one[:3]]
    parameters = np.array([value for one in flat for value in one[3:]], np.float32)
    builder.call(
        chain,
        Chain(
            out=builder.address(target),
            operands=NOWHERE,
            inputs=len(straight),
            calls=NOWHERE,
            functions=len(flat),
            parameters=builder.constant(parameters),
            **{f"size_{axis}": size for axis, size in enumerate(sizes)},
            columns=columns,
            runs_per_task=each,
        ),
        tasks,
        16 * len(straight) + 4 * RUN * (len(straight) + functions.workspaces),
        {"operands": operands, "calls": table},
    )
    return True


@of_sizes
def _runs(rows: int, columns: int) -> int:
    return -(-rows // max(1, RUN // max(columns, 1))) * -(-columns // RUN)


def _kind(strides: Sequence[int], result: Sequence[int], columns: int) -> int:
    """Return the way in which an operand broadcasts to the result."""
    if all(stride == other for stride, other in zip(strides, result, strict=True)):
        return ALIKE
    if any(stride != 0 for stride in strides[:-1]):
        return OTHER
    return SCALAR if columns == 1 else ROW


def _cost(call: Call) -> float:
    """Nanoseconds for each element."""
    return _COST.get(call.function.name, 1.0) if isinstance(call.function, Elementwise) else 0.2


_COST: Final = {"clamp": 0.2, "relu": 0.2, "negative": 0.2, "abs": 0.2, "sqrt": 0.4}


def _calls(call: Call) -> list[tuple[int, int, int, float, float]] | None:
    """A call as functions that replace one of their operands; None where there is no such function."""
    first, out = call.arguments[0], call.out
    copy = [] if first == out else [(COPY, out, first, 0.0, 0.0)]
    if isinstance(call.function, Elementwise):
        if call.function.name not in UNARY:
            return None
        alpha, beta = (*call.function.parameters, 0.0, 0.0)[:2]
        return [*copy, (UNARY.index(call.function.name), out, out, alpha, beta)]
    number = _BINARY.get(call.function)
    if number is None:
        return None
    second = call.arguments[1]
    if second == out and first != out:
        return [(_REVERSED.get(number, number), out, first, 0.0, 0.0)]
    return [*copy, (number, out, second, 0.0, 0.0)]
