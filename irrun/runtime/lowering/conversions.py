"""Conversions of elements: to levels and back, and to half precision."""

from __future__ import annotations

import numpy as np

from irrun.ops._declared.fused.fused_conversions import FusedDequantize, FusedQuantize, FusedRound
from irrun.runtime.lowering.builder import BF16_BITS, F32, U8, Builder, Unsupported, lowers, require_f32
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.view import Operand, View
from irrun.tensor import ElementType
from irrun.tensor.element_type import BF16, U16, dtype_text


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


def emit_rounding(builder: Builder, data: Operand, precision: ElementType, *, as_bits: bool = False) -> View:
    """f32 rounded to bf16 or f16, as f32 or as bits of bf16."""
    require_f32(data, may_be_found=True)
    e = Expression(builder)
    function = "bf16_bits" if as_bits else "round_to_bf16" if precision is BF16 else "round_to_f16"
    return e.emit(e(function, e.read(data)), BF16_BITS if as_bits else F32)
