"""Copies, views, concatenation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.layout import axes_in_memory
from irrun.ops.fused.fused_concat import FusedConcat
from irrun.ops.fused.fused_view import FusedView
from irrun.ops.movement.concat import Concat
from irrun.runtime.lowering.builder import Builder, in_order_of, lowers, merged, share
from irrun.tensor import Array
from irrun_kernels.axes import AXES, WALK, Axes, Strided
from irrun_kernels.conversions import Rows
from irrun_kernels.moves import Move, move


def copied(builder: Builder, source: Array, target: Array, places: Array | None = None) -> bool:
    """Lower a copy; False where the arrays have too many axes, or are of different types.

    ``places``, which broadcast to the target, are added to those in the source, in elements.
    """
    shape, width = target.shape, target.itemsize
    if source.dtype != target.dtype or width not in (1, 2, 4, 8) or target.dtype.hasobject:
        return False
    arrays = [np.broadcast_to(source, shape), target]
    if places is not None:
        arrays.append(np.broadcast_to(places, shape))
    axes = axes_of(arrays)
    if axes is None:
        return False
    sizes, (x_step, out_step, *others) = axes
    _, tasks = share(max(target.size, 1), 0.1 * width * target.size)
    x, out = (Strided(builder.address(x), step) for x, step in ((source, x_step), (target, out_step)))
    at = Strided(builder.address(places), others[0] if others else Axes(*(0,) * AXES))
    builder.call(move, Move(x, out, at, sizes, width, tasks), tasks, WALK)
    return True


def axes_of(arrays: Sequence[Array]) -> tuple[Axes, list[Axes]] | None:
    """Return the sizes of the axes of arrays of one shape, and the strides of each; None where they have too many."""
    if arrays[0].ndim <= AXES:
        axes = list(zip(arrays[0].shape, zip(*(array.strides for array in arrays), strict=True), strict=True))
    else:
        found = merged(in_order_of(arrays[1], arrays), AXES)
        if found is None:
            return None
        axes = found
    axes = [(1, (0,) * len(arrays))] * (AXES - len(axes)) + axes
    sizes, strides = zip(*axes, strict=True)
    return Axes(*sizes), [Axes(*steps) for steps in zip(*strides, strict=True)]


def contiguous(builder: Builder, x: Array) -> Array | None:
    """The array, or a contiguous copy of it; None where it cannot be copied."""
    if x.flags.c_contiguous:
        return x
    out = builder.empty(x.shape, x.dtype)
    return out if copied(builder, x, out) else None


def laid_as(builder: Builder, x: Array, shape: Sequence[int]) -> Array:
    """Return an array of another shape with the same memory order of axes, without gaps."""
    order = axes_in_memory(x)
    return builder.empty([shape[axis] for axis in order], x.dtype).transpose(np.argsort(order))


def part_of(x: Array, *keys: Any) -> Array:
    """A view of a part of an array, with keys for its first axes."""
    view: Array = x[(*keys, ...)]
    return view


def in_rows(builder: Builder, x: Array, most: int) -> tuple[Array, Rows] | None:
    """Return an array, or a contiguous copy of it, with its rows; None where it cannot be copied.

    Elements that are all neighbours are one block of rows of at most ``most``.
    """
    axes = merged(in_order_of(x, [x]), 3)
    if axes is None or axes[-1][1] != (x.itemsize,):
        whole = contiguous(builder, x)
        return None if whole is None else in_rows(builder, whole, most)
    if len(axes) == 1:
        columns = min(axes[0][0], most)
        return x, Rows(columns, 1 << 40, 0, x.itemsize * columns)
    (_, (block,)), (size, (row,)) = [(1, (0,)), *axes][-3:-1]
    return x, Rows(axes[-1][0], size, block, row)


@lowers(FusedView)
def view(op: FusedView, builder: Builder, data: Array) -> Array | None:
    """Return a view, or a copy if no view has this shape."""
    if op.shape is None:
        return data.transpose(op.order)
    if data.size == 0:
        return None
    if not data.flags.c_contiguous:
        reshaped = data.reshape(op.shape)
        if np.may_share_memory(reshaped, data):
            return reshaped
        if builder.is_constant(data):
            return None
    if data.ndim and data.strides[-1] != data.itemsize and len(op.shape) == 4 and math.prod(op.shape) == data.size:
        # Channels that are neighbours stay so.
        out = builder.images(op.shape, data.dtype)
        target = out.reshape(data.shape)
        if np.may_share_memory(out, target) and copied(builder, data, target):
            return out
    whole = contiguous(builder, data)
    return None if whole is None else whole.reshape(op.shape)


@lowers(Concat)
def concatenated(op: Concat, builder: Builder, *inputs: Array) -> Array | None:
    """The inputs copied behind each other."""
    return _joined(builder, inputs, op.axis % inputs[0].ndim, None, False)


@lowers(FusedConcat)
def grown(op: FusedConcat, builder: Builder, *inputs: Array) -> Array | None:
    """The inputs copied behind each other, in memory with room for more."""
    return _joined(builder, inputs, op.axis, op.room, op.grows)


def _joined(builder: Builder, inputs: Sequence[Array], axis: int, room: int | None, grows: bool) -> Array | None:
    first = inputs[0]
    if any(x.dtype != first.dtype for x in inputs):
        return None
    sizes = list(first.shape)
    sizes[axis] = sum(x.shape[axis] for x in inputs)
    before = (slice(None),) * axis
    if grows:
        out = as_strided(first, sizes, first.strides)
        place, inputs = first.shape[axis], inputs[1:]
    else:
        lengths = list(sizes)
        lengths[axis] = room if room is not None else sizes[axis]
        out = laid_as(builder, first, lengths)[(*before, slice(sizes[axis]))]
        place = 0
    for x in inputs:
        if not copied(builder, x, out[(*before, slice(place, place + x.shape[axis]))]):
            return None
        place += x.shape[axis]
    return out
