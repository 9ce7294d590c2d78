"""Conversions of elements: to levels and back, and to half precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.kernels.casting import rounded
from irrun.ops._declared.fused.fused_conversions import FusedDequantize, FusedQuantize, FusedRound
from irrun.ops._declared.fused.fused_product import FusedProduct
from irrun.runtime.at_once import run_at_once
from irrun.runtime.lowering.builder import (
    BF16_BITS,
    F32,
    U8,
    Builder,
    Unsupported,
    has_f32,
    lowers,
    require_elements,
    require_f32,
)
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.view import Operand, View
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BF16, U16, dtype_text
from irrun.tensor.element_type import F32 as SINGLE


@lowers(FusedQuantize)
def lower_quantize(op: FusedQuantize, builder: Builder, data: Operand) -> View:
    """Quantise to levels, in the memory layout of the numbers."""
    require_f32(data)
    e, levels = Expression(builder), op.levels
    limits = (e.number(each, "f") for each in (levels.low, levels.high, levels.most))
    return e.emit(e("quantize", e.read(data), *limits), U8)


@lowers(FusedDequantize)
def lower_dequantize(op: FusedDequantize, builder: Builder, codes: Operand) -> View:
    """Convert levels to numbers, in the memory layout of the levels."""
    if codes.dtype != U8:
        raise Unsupported(f"levels of {dtype_text(codes.dtype)}")
    e = Expression(builder)
    low, high = np.float32(op.levels.output_low), np.float32(op.levels.output_high)
    limits = (e.number(float(each), "f") for each in (low, high - low, op.levels.most))
    return e.emit(e("dequantize", e.read(codes), *limits), F32)


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
    e = Expression(builder)
    function = "bf16_bits" if as_bits else "round_to_bf16" if precision is BF16 else "round_to_f16"
    return e.emit(e(function, e.read(data)), BF16_BITS if as_bits else F32)


def bf16_bits(x: Array) -> Array:
    """The bits of constants of f32 rounded to bf16, in their memory layout."""
    out = np.empty_like(x, BF16_BITS)
    builder = Builder()
    e = Expression(builder)
    e.emit_into(e("bf16_bits", e.read(x)), builder.view(out))
    if len(builder.items) > 1:
        return bf16_bits(np.ascontiguousarray(x))
    run_at_once(builder)
    return out
