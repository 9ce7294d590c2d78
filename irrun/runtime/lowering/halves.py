"""Operands of products in half precision."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from irrun.kernels.compiled.halves import Round, rounding
from irrun.kernels.compiled.micro import AS_BITS, AS_F16, AS_FLOATS
from irrun.ops.fused.fused_product import FusedProduct
from irrun.ops.fused.fused_round import FusedRound
from irrun.runtime.lowering.builder import F32, HALVES, Builder, empty_as, is_f32, lowers, share
from irrun.runtime.lowering.copies import in_rows
from irrun.tensor import Array, ElementType
from irrun.tensor.element_type import BF16, U16
from irrun.tensor.element_type import F32 as SINGLE

_COLUMNS: Final = 4096
"""Elements that are rounded at a time."""


@lowers(FusedRound)
def rounded(op: FusedRound, builder: Builder, data: Array) -> Array | None:
    """Round numbers, in their memory layout."""
    if op.fact.type is U16:
        return _rounded(builder, data, AS_BITS)
    return _rounded(builder, data, AS_FLOATS if op.precision is BF16 else AS_F16)


def operand(op: FusedProduct, builder: Builder, data: Array) -> Array | None:
    """The data of a product: bits of bf16, or f32 rounded to the precision; None for what kernels do not take."""
    if data.dtype == HALVES:
        return data if data.size else None
    if op.precision is SINGLE:
        return data if is_f32(data) else None
    return _rounded(builder, data, AS_FLOATS if op.precision is BF16 else AS_F16)


def types(op: FusedProduct) -> list[np.dtype[Any]]:
    """The types of the outputs of a product."""
    return [F32] * op.floats + [HALVES] * op.halves


def rounded_to_bf16(builder: Builder, data: Array, *, as_bits: bool) -> Array | None:
    """f32 rounded to bf16: the bits, or f32; None for what kernels do not take."""
    return _rounded(builder, data, AS_BITS if as_bits else AS_FLOATS)


def in_precision(precision: ElementType, builder: Builder, data: Array) -> Array | None:
    """f32, or bits of bf16; None for what kernels do not take."""
    return data if precision is SINGLE else _rounded(builder, data, AS_BITS)


def _rounded(builder: Builder, data: Array, form: int) -> Array | None:
    if not is_f32(data):
        return None
    found = in_rows(builder, data, _COLUMNS)
    if found is None:
        return None
    data, rows = found
    out = empty_as(builder, data, HALVES if form == AS_BITS else F32)
    each, tasks = share(-(-data.size // rows.columns), 0.1 * data.size)
    arguments = Round(
        x=builder.address(data),
        out=builder.address(out),
        form=form,
        width=out.itemsize,
        elements=data.size,
        **rows._asdict(),
        rows_per_task=each,
    )
    builder.call(rounding, arguments, tasks)
    return out
