"""Element-wise operations: as the epilogue of another kernel, as chains, or one by one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from irrun.kernels.casting import reach
from irrun.kernels.elementwise import Elementwise
from irrun.ops import Op
from irrun.ops._declared.arithmetic.elementwise import Unary
from irrun.ops._declared.comparison.base import Comparison
from irrun.ops._declared.fused.fused_elementwise import FusedElementwise
from irrun.ops._declared.quantization.fake_quantize import FakeQuantize
from irrun.runtime.lowering.builder import F32, Builder, Unsupported, empty_as, lowers, require_f32
from irrun.runtime.lowering.chains import ChainValue, Expression
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.scalars import ELEMENTS

Function = Callable[..., ChainValue]
"""``function(e, op, *values)`` writes an operation as an expression; Unsupported where it has no kernel."""


@lowers(FusedElementwise)
def lower_elementwise(op: FusedElementwise, builder: Builder, *inputs: Operand) -> View:
    """A tree of layers, in one call."""
    e = Expression(builder)
    result = op.evaluate(functools.partial(_computed, e), map(e.read, inputs))
    return e.emit(result, op.fact.type.dtype)


def _computed(e: Expression, op: Op, *values: ChainValue) -> ChainValue:
    """A layer as an expression."""
    return _FUNCTIONS.get(op.type, _named)(e, op, *values)


def _activated(e: Expression, activation: Elementwise, x: ChainValue) -> ChainValue:
    if activation.name == "clamp":
        return _clamped(e, x, *activation.parameters)
    return e(activation.name, x, *(e.number(each, x.kind) for each in activation.parameters))


def emit_activation(builder: Builder, x: Operand, activation: Elementwise) -> View:
    """A function of a result whose kernel does not have it as an epilogue."""
    e = Expression(builder)
    return e.emit(_activated(e, activation, e.read(x)), x.dtype)


def _clamped(e: Expression, x: ChainValue, low: float, high: float) -> ChainValue:
    if x.kind not in "fd":
        raise Unsupported("integers that are clamped")
    if high == math.inf:
        return e("at_least", x, e.number(low, x.kind))
    return e("clamp", x, e.number(low, x.kind), e.number(high, x.kind))


@lowers(FakeQuantize)
def lower_fake_quantize(op: FakeQuantize, builder: Builder, data: Operand, *limits: Operand) -> View:
    """The nearest of some levels. Elements outside the limits are clipped to them where that is exact."""
    require_f32(data, *limits)
    e = Expression(builder)
    aligned = [op.aligned(limit, data.ndim) for limit in limits]
    x, low, high, output_low, output_high = map(e.read, (data, *aligned))
    known = all(map(builder.is_constant, limits))
    clips = known and _is_exact(*aligned)
    wide, span = (
        e.read(np.asarray(upper - lower)) if known else e("subtract", e.read(upper), e.read(lower))
        for lower, upper in (aligned[:2], aligned[2:])
    )
    inside = e("minimum", e("maximum", x, low), high) if clips else x
    steps = e.number(op.levels - 1, "f")
    level = e("rint", e("multiply", e("divide", e("subtract", inside, low), wide), steps))
    result = e("add", e("multiply", e("divide", level, steps), span), output_low)
    if not clips:
        result = _select(e, None, e("less_equal", x, e("minimum", low, high)), output_low, result)
        result = _select(e, None, e("less", e("maximum", low, high), x), output_high, result)
    return e.emit_into(result, empty_as(builder, data, F32))


def _is_exact(low: Array, high: Array, output_low: Array, output_high: Array) -> bool:
    """Return whether the levels of clipped elements are the limits of the output."""
    span = output_high - output_low
    return bool((low < high).all() and np.isfinite(span).all() and (output_low + span == output_high).all())


def _power(e: Expression, _: Op, a: ChainValue, b: ChainValue) -> ChainValue:
    return e("multiply", a, a) if a.kind in "fd" and e.is_constant(b, 2) else e("power", a, b)


def _divide(e: Expression, op: Any, *values: ChainValue) -> ChainValue:
    x, y = map(e.computed, values)
    return e("divide" if op.m_pythondiv or x.kind != "q" else "truncated_divide", x, y)


def _squared_difference(e: Expression, _: Op, *values: ChainValue) -> ChainValue:
    difference = e("subtract", *map(e.computed, values))
    return e("multiply", difference, difference)


def _select(e: Expression, _: Op | None, condition: ChainValue, x: ChainValue, y: ChainValue) -> ChainValue:
    bits = "BHIQ"[np.dtype(x.kind).itemsize.bit_length() - 1]
    return e("select", condition, x._replace(kind=bits), y._replace(kind=bits))._replace(kind=x.kind)


def _is_nan(e: Expression, _: Op, x: ChainValue) -> ChainValue:
    return e("not_equal", x, x)


def _swish(e: Expression, _: Op, x: ChainValue, *beta: ChainValue) -> ChainValue:
    return e("multiply", x, e("sigmoid", e("multiply", *beta, x))) if beta else e("swish", x)


_NAMES: Final = {
    **{each.name.replace("_", ""): each.name for each in ELEMENTS},
    **{f"logical{name}": f"bitwise_{name}" for name in ("and", "or", "xor", "not")},
    **{f"bitwise{side}shift": f"{side}_shift" for side in ("left", "right")},
    "xor": "bitwise_xor",
    "greater": "less",
    "greaterequal": "less_equal",
}
"""The functions of `ELEMENTS`, by the types in lower case of the operations that they may be."""


def _named(e: Expression, op: Op, *values: ChainValue) -> ChainValue:
    """The function of `_NAMES`, or the activation, that an operation is."""
    operands = [e("to_q", x) if isinstance(op, Comparison) and x.kind == "?" else e.computed(x) for x in values]
    activation = None if isinstance(op, Unary) else op.elementwise()
    if activation is not None:
        return _activated(e, activation, *operands)
    name = op.type.lower()
    return e(_NAMES.get(name, name), *(operands[::-1] if op.type.startswith("Greater") else operands))


_FUNCTIONS: Final[dict[str, Function]] = {
    "Divide": _divide,
    "Power": _power,
    "SquaredDifference": _squared_difference,
    "Clamp": lambda e, op, x: _clamped(e, x, *op.elementwise().parameters),
    "ReLU": lambda e, op, x: _clamped(e, x, *op.elementwise().parameters),
    "Swish": _swish,
    "Round": lambda e, op, x: e("rint" if op.mode == "half_to_even" else "round_away", x),
    "Select": _select,
    "IsNaN": _is_nan,
    "Convert": lambda e, op, x: as_type(e, x, op.destination_type.dtype),
}

_SAME: Final = {"Floor": "biu", "Ceiling": "biu", "Round": "biu", "Abs": "u", "PReLU": "u"}
"""Kinds of NumPy's types for which an operation returns its input."""


@lowers(*{*_NAMES, *map(str.lower, _FUNCTIONS)} - {"convert"})
def lower_single(op: Op, builder: Builder, *inputs: Operand) -> View:
    """A single operation."""
    if len({x.dtype for x in (inputs[1:] if op.type == "Select" else inputs)}) > 1:
        raise Unsupported("inputs of different types")
    if inputs[0].dtype.kind in _SAME.get(op.type, ""):
        return builder.view(inputs[0])
    e = Expression(builder)
    result = _computed(e, op, *map(e.read, _aligned(op, inputs)))
    return e.emit(result, np.dtype(np.bool_) if result.kind == "?" else inputs[-1].dtype)


def _aligned(op: Any, inputs: tuple[Operand, ...]) -> list[Operand]:
    """The inputs as NumPy broadcasts them."""
    first, *others = inputs
    if op.type == "PReLU":
        (slope,) = others
        if slope.ndim == 1 and first.ndim > 1 and slope.shape[0] == first.shape[1]:
            slope = slope.reshape(slope.shape[0], *(1,) * (first.ndim - 2))
        others = [slope.reshape(slope.shape[max(slope.ndim - first.ndim, 0) :])]
    elif getattr(op, "auto_broadcast", "numpy") == "pdpd":
        raise Unsupported("broadcasting by pdpd")
    return [first, *others]


@lowers("convert", "convertlike")
def lower_convert(op: Any, builder: Builder, data: Operand, *like: Operand) -> View:
    """Another type."""
    dtype = like[0].dtype if like else op.destination_type.dtype
    if data.dtype == dtype:
        return builder.view(data)
    e = Expression(builder)
    return e.emit(as_type(e, e.read(data), dtype), dtype)


def as_type(e: Expression, x: ChainValue, dtype: np.dtype[Any]) -> ChainValue:
    """A value converted to a type, which `Expression.stored` completes."""
    if x.kind in "fd" and dtype.kind in "iu":
        return e("trunc" if reach(dtype) < 2.0**63 else "to_Q" if dtype == np.uint64 else "to_q", x)
    if dtype == F32 or (dtype.kind == "f" and x.kind in "?f"):
        return e(f"to_{dtype.char}", x)
    whole = e("to_q", x) if x.kind == "?" else e.computed(x)
    if dtype.kind == "f":
        return e("to_d", whole)
    if dtype == np.bool_:
        return e("to_bool", whole._replace(kind="q") if whole.kind == "Q" else whole)
    return e("bitwise_or", whole, whole) if x.kind in "qQ" and dtype.itemsize == 8 else whole
