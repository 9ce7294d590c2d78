"""Conversions of elements: to half precision, to levels, and back to numbers; operands of products."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from irrun.kernels.bf16 import rounded
from irrun.ops._declared.fused.fused_conversions import FusedDequantize, FusedQuantize, FusedRound
from irrun.ops._declared.fused.fused_product import FusedProduct
from irrun.runtime.at_once import run_at_once
from irrun.runtime.lowering.builder import (
    BF16_BITS,
    F32,
    U8,
    Builder,
    Unsupported,
    empty_as,
    has_f32,
    lowers,
    require_elements,
    require_f32,
    share,
)
from irrun.runtime.lowering.copies import emit_rows
from irrun.runtime.view import Operand, View
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BF16, U16, dtype_text
from irrun.tensor.element_type import F32 as SINGLE
from irrun_kernels.conversions import AS_BITS, AS_F16, AS_FLOATS, AS_LEVELS, AS_NUMBERS, Convert, Rows, convert

_COLUMNS: Final = 4096
"""Elements that are converted at a time."""


@lowers(FusedQuantize)
def lower_quantize(op: FusedQuantize, builder: Builder, data: Operand) -> View:
    """Quantise to levels, in the memory layout of the numbers."""
    require_f32(data)
    levels = op.levels
    return emit_conversion(builder, data, U8, AS_LEVELS, 0.15, levels.low, levels.high, float(levels.most))


@lowers(FusedDequantize)
def lower_dequantize(op: FusedDequantize, builder: Builder, codes: Operand) -> View:
    """Convert levels to numbers, in the memory layout of the levels."""
    if codes.dtype != U8:
        raise Unsupported(f"levels of {dtype_text(codes.dtype)}")
    low, high = np.float32(op.levels.output_low), np.float32(op.levels.output_high)
    return emit_conversion(builder, codes, F32, AS_NUMBERS, 0.1, float(low), float(high - low), float(op.levels.most))


@lowers(FusedRound)
def lower_round_operand(op: FusedRound, builder: Builder, data: Operand) -> View:
    """Round numbers, in their memory layout."""
    return emit_rounding(builder, data, op.precision, as_bits=op.fact.type is U16)


def emit_operand(op: FusedProduct, builder: Builder, data: Operand) -> View:
    """The data of a product: bits of bf16, or f32 rounded to the precision."""
    if data.dtype == BF16_BITS:
        require_elements(data)
        return builder.view(data)
    return emit_rounding(builder, data, op.precision)


def weights_for(op: FusedProduct, data: Operand) -> Array:
    """The weights of a product: those of the model for bits of bf16, which are rounded where they are packed."""
    return op.weights if data.dtype == BF16_BITS else op.rounded_weights


def are_finite(op: FusedProduct) -> bool:
    """Return whether all weights of a product are finite in its precision."""
    extremes = np.array([op.weights.min(initial=0), op.weights.max(initial=0)], F32)
    return bool(np.isfinite(rounded(extremes, op.precision.name)).all())


def types(op: FusedProduct) -> list[np.dtype[Any]]:
    """The types of the outputs of a product."""
    return [F32] * op.floats + [BF16_BITS] * op.bf16


def emit_rounding(builder: Builder, data: Operand, precision: ElementType, *, as_bits: bool = False) -> View:
    """f32 rounded to a precision, as f32 or as bits of bf16; f32 itself if that is the precision."""
    require_f32(data, holds=has_f32)
    if precision is SINGLE:
        return builder.view(data)
    if as_bits:
        return emit_conversion(builder, data, BF16_BITS, AS_BITS, 0.1)
    return emit_conversion(builder, data, F32, AS_FLOATS if precision is BF16 else AS_F16, 0.1)


def emit_conversion(
    builder: Builder, data: Operand, dtype: np.dtype[Any], form: int, nanoseconds: float, *levels: float
) -> View:
    """Convert elements, in their memory layout."""
    require_elements(data)
    data, rows = emit_rows(builder, data, _COLUMNS)
    out = empty_as(builder, data, dtype)
    _call_convert(builder, data, rows, out, form, nanoseconds, *levels)
    return out


def _call_convert(
    builder: Builder, data: View, rows: Rows, out: Operand, form: int, nanoseconds: float, *levels: float
) -> None:
    each, tasks = share(-(-data.size // rows.columns), nanoseconds * data.size)
    x, address = builder.address(data), builder.address(out)
    builder.call(convert, Convert(x, rows, address, out.itemsize, form, data.size, each, *levels), tasks)


def bf16_bits(x: Array) -> Array:
    """The bits of constants of f32 rounded to bf16, in their memory layout."""
    if not x.size:
        return np.empty_like(x, BF16_BITS)
    builder = Builder()
    data, rows = emit_rows(builder, x, _COLUMNS)
    if builder.items:
        return bf16_bits(np.ascontiguousarray(x))
    out = np.empty_like(x, BF16_BITS)
    _call_convert(builder, data, rows, out, AS_BITS, 0.1)
    run_at_once(builder)
    return out
