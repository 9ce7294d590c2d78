"""Copies and conversions of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.ops._declared.fused.fused_concat import FusedConcat
from irrun.ops._declared.fused.fused_conversions import FusedDequantize, FusedQuantize, FusedRound
from irrun.ops._declared.movement.concat import Concat
from irrun.runtime.lowering.builder import (
    BF16_BITS,
    F32,
    U8,
    Builder,
    Unsupported,
    broadcast,
    empty_as,
    in_order_of,
    lowers,
    memory_order,
    merged,
    require_elements,
    require_f32,
    share,
)
from irrun.runtime.symbolic import Number, is_same, largest, least, of_sizes
from irrun.runtime.view import Operand, View, place_of
from irrun.tensor import ElementType
from irrun.tensor.element_type import BF16, U16, dtype_text
from irrun.tensor.element_type import F32 as SINGLE
from irrun_kernels.axes import AXES, WALK, Strided
from irrun_kernels.conversions import AS_BITS, AS_F16, AS_FLOATS, AS_LEVELS, AS_NUMBERS, Convert, Rows, convert
from irrun_kernels.moves import Move, move
from irrun_kernels.native import Address


def emit_copy(builder: Builder, source: Operand, target: View, places: Operand | None = None) -> View:
    """Copy an array to the target, which is returned; Unsupported for too many axes, or different types.

    ``places``, which broadcast to the target, are added to those in the source, in elements.
    """
    shape, width = target.shape, target.itemsize
    if source.dtype != target.dtype:
        raise Unsupported(f"elements of {dtype_text(source.dtype)} and {dtype_text(target.dtype)}")
    if width not in (1, 2, 4, 8) or target.dtype.hasobject:
        raise Unsupported(f"elements of {dtype_text(target.dtype)}")
    sizes, (x, out, at) = emit_accesses(builder, [source, target, places], shape)
    tasks = _tasks(target.size, width)
    builder.call(move, Move(x, out, at, sizes, width, tasks), tasks, WALK)
    return target


@of_sizes
def _tasks(size: int, width: int) -> int:
    _, tasks = share(max(size, 1), 0.1 * width * size)
    return int(tasks)


def emit_accesses(
    builder: Builder, arrays: Sequence[Operand | None], shape: Sequence[Number]
) -> tuple[tuple[Number, ...], list[Strided]]:
    """Return the sizes of axes, and where arrays that broadcast to a shape lie; Unsupported for too many axes."""
    views = [broadcast(builder, x, shape) for x in arrays if x is not None]
    if len(shape) <= AXES:
        axes = list(zip(shape, zip(*(view.strides for view in views), strict=True), strict=True))
    else:
        found = merged(in_order_of(views[1], views), AXES)
        if found is None:
            raise Unsupported(f"{len(shape)} axes that are not neighbours in memory")
        axes = found
    axes = [(1, (0,) * len(views))] * (AXES - len(axes)) + axes
    sizes, strides = zip(*axes, strict=True)
    steps, none = zip(*strides, strict=True), (0,) * AXES
    return sizes, [Strided(builder.address(x), none if x is None else next(steps)) for x in arrays]


def emit_contiguous(builder: Builder, x: Operand) -> View:
    """The array, or a contiguous copy of it."""
    x = builder.view(x)
    return x if x.is_contiguous else emit_copy(builder, x, builder.empty(x.shape, x.dtype))


def laid_as(builder: Builder, x: Operand, shape: Sequence[int]) -> View:
    """Return an array of another shape with the same memory order of axes, without gaps."""
    order = memory_order(x)
    return builder.empty([shape[axis] for axis in order], x.dtype).transpose(np.argsort(order).tolist())


def emit_border(builder: Builder, out: View, before: Sequence[Number], after: Sequence[Number], value: Operand) -> View:
    """Copy a number to all elements beside the middle of an array, which is returned."""
    keys: list[slice] = []
    for begin, end, size in zip(before, after, out.shape, strict=True):
        for there, key in ((begin, slice(0, begin)), (end, slice(size - end, size))):
            if not is_same(there, 0):
                emit_copy(builder, value, out[(*keys, key)])
        keys.append(slice(begin, size - end))
    return out


def part_of(x: Any, *keys: Any) -> Any:
    """A view of a part of an array, with keys for its first axes."""
    return x[(*keys, ...)]


def emit_rows(builder: Builder, x: Operand, most: int) -> tuple[View, Rows]:
    """Return an array, or a contiguous copy of it, with its rows.

    Elements that are all neighbours are one block of rows of at most ``most``.
    """
    x = builder.view(x)
    axes = merged(in_order_of(x, [x]), 3)
    if axes is None or axes[-1][1] != (x.itemsize,):
        return emit_rows(builder, emit_contiguous(builder, x), most)
    if len(axes) == 1:
        columns = largest(1, least(axes[0][0], most))
        return x, Rows(columns, 1 << 40, 0, x.itemsize * columns)
    (_, (block,)), (size, (row,)) = [(1, (0,)), *axes][-3:-1]
    return x, Rows(axes[-1][0], size, block, row)


@lowers(Concat)
def lower_concat(op: Concat, builder: Builder, *inputs: Operand) -> View:
    """The inputs copied behind each other."""
    return _emit_concat(builder, inputs, op.axis % inputs[0].ndim, None, False)


@lowers(FusedConcat)
def lower_fused_concat(op: FusedConcat, builder: Builder, *inputs: Operand) -> View:
    """The inputs copied behind each other, in memory with room for more."""
    return _emit_concat(builder, inputs, op.axis, op.room, op.grows)


def _emit_concat(builder: Builder, inputs: Sequence[Operand], axis: int, room: int | None, grows: bool) -> View:
    first = inputs[0]
    if any(x.dtype != first.dtype or x.ndim != first.ndim for x in inputs):
        raise Unsupported("inputs of different types or ranks")
    if any(x.shape[other] != first.shape[other] for x in inputs[1:] for other in range(first.ndim) if other != axis):
        raise Unsupported("inputs of different sizes")
    sizes = list(first.shape)
    sizes[axis] = sum(x.shape[axis] for x in inputs)
    before = (slice(None),) * axis
    out = builder.wanted(sizes, first.dtype)
    place = 0
    if grows:
        out = out or builder.view(first).resized(sizes)
        place, inputs = first.shape[axis], inputs[1:]
    if out is None:
        lengths = list(sizes)
        lengths[axis] = room if room is not None else sizes[axis]
        out = laid_as(builder, first, lengths)[(*before, slice(sizes[axis]))]
    for x in inputs:
        target = out[(*before, slice(place, place + x.shape[axis]))]
        if not _is_in_place(x, target):
            emit_copy(builder, x, target)
        place += x.shape[axis]
    return out


def _is_in_place(x: Operand, target: View) -> bool:
    """Return whether an array was computed where it is copied to."""
    if not isinstance(x, View):
        return False
    return place_of(Address(x.buffer, x.offset)) == place_of(Address(target.buffer, target.offset))


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


def emit_rounding(builder: Builder, data: Operand, precision: ElementType, *, as_bits: bool = False) -> View:
    """f32 rounded to a precision, as f32 or as bits of bf16; f32 itself if that is the precision."""
    require_f32(data, may_be_found=True)
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
    each, tasks = share(-(-data.size // rows.columns), nanoseconds * data.size)
    x, address = builder.address(data), builder.address(out)
    builder.call(convert, Convert(x, rows, address, out.itemsize, form, data.size, each, *levels), tasks)
    return out
