"""Views, copies, concatenation."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.layout import axes_in_memory
from irrun.ops.fused.fused_channels import FusedChannels
from irrun.ops.fused.fused_concat import FusedConcat
from irrun.ops.image.interpolate import InterpolateV4, InterpolateV11
from irrun.ops.movement.concat import Concat
from irrun.ops.movement.gather import GatherV7, GatherV8
from irrun.ops.movement.roll import Roll
from irrun.ops.movement.shuffle_channels import ShuffleChannels
from irrun.ops.movement.split import Split
from irrun.ops.movement.variadic_split import VariadicSplit
from irrun.runtime.lowering.builder import Builder, broadcast, empty_as, in_order_of, is_f32, lowers, merged, share
from irrun.runtime.symbolic import Number, least, of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.conversions import Rows
from irrun_kernels.copies import Axes, Copy, copy

_AXES: Final = 5

_PART: Final = 8192
"""Elements of a matrix that are copied by one worker, roughly."""

_TILE: Final = 16


def copied(builder: Builder, source: Operand, target: Operand) -> bool:
    """Lower a copy of f32, of bits of bf16 in twos, or of bytes in fours.

    False where the arrays have too many axes, or have no kernel.
    """
    order = axes_in_memory(target)
    source = builder.view(source)
    axes = merged((source.transpose(order), target.transpose(order)), _AXES)
    if axes is not None and source.itemsize < 4:
        axes = _as_words(axes, source.itemsize)
    if axes is None or source.dtype != target.dtype or source.itemsize > 4:
        return False
    axes = [(1, (4, 4))] * (_AXES - len(axes)) + axes
    if sum(size > 1 for size, _ in axes) == 1:
        axes[-2:] = _halved(*axes[-1])
    sizes = [size for size, _ in axes]
    strides = [[stride // 4 for stride in each] for _, each in axes]
    rows, parts = _cut(*sizes)
    each, tasks = share(parts, (0.15 if strides[4] == [1, 1] else 0.6) * source.size)
    x_step, out_step = (Axes(*steps) for steps in zip(*strides, strict=True))
    arguments = Copy(builder.address(source), builder.address(target), Axes(*sizes), x_step, out_step, rows, each)
    builder.call(copy, arguments, tasks)
    return True


def _as_words(
    axes: list[tuple[Number, tuple[Number, ...]]], width: int
) -> list[tuple[Number, tuple[Number, ...]]] | None:
    """Return axes with four neighbouring bytes as one element; None where some bytes have no such neighbours."""
    *outer, (size, strides) = axes
    if size * width % 4 or strides != (width, width) or any(stride % 4 for _, each in outer for stride in each):
        return None
    words = size * width // 4
    return [*outer, (words, (4, 4))] if words > 1 or not outer else outer


def _halved(size: int, strides: tuple[int, ...]) -> list[tuple[Number, tuple[Number, ...]]]:
    """Split an axis in two if its size has a divisor, so that the inner axis fits a task."""
    inner = _inner(size)
    return [(size // inner, (strides[0] * inner, strides[1] * inner)), (inner, strides)]


@of_sizes
def _inner(size: int) -> int:
    """The largest divisor of a size that fits a task."""
    return next((each for each in range(min(size, _PART), _PART // 8, -1) if size % each == 0), size)


@of_sizes
def _cut(first: int, second: int, third: int, rows: int, columns: int) -> tuple[int, int]:
    """The rows of a part of a matrix, and the number of parts of all matrices."""
    each = max(1, min(rows, -(-_PART // max(columns, 1)) // _TILE * _TILE))
    return each, first * second * third * -(-rows // each)


def contiguous(builder: Builder, x: Operand) -> View | None:
    """The array, or a contiguous copy of it; None where it cannot be copied."""
    x = builder.view(x)
    if x.is_contiguous:
        return x
    out = builder.empty(x.shape, x.dtype)
    return out if copied(builder, x, out) else None


def in_rows(builder: Builder, x: Operand, most: int) -> tuple[View, Rows] | None:
    """Return an array, or a contiguous copy of it, with its rows; None where it cannot be copied.

    Elements that are all neighbours are one block of rows of at most ``most``.
    """
    x = builder.view(x)
    axes = merged(in_order_of(x, [x]), 3)
    if axes is None or axes[-1][1] != (x.itemsize,):
        whole = contiguous(builder, x)
        return None if whole is None else in_rows(builder, whole, most)
    if len(axes) == 1:
        columns = least(axes[0][0], most)
        return x, Rows(columns, 1 << 40, 0, x.itemsize * columns)
    (_, (block,)), (size, (row,)) = [(1, (0,)), *axes][-3:-1]
    return x, Rows(axes[-1][0], size, block, row)


@lowers(FusedChannels)
def channels(op: FusedChannels, builder: Builder, data: View) -> View:
    """Some channels, as a view."""
    return data[:, op.start : op.stop]


@lowers(Split)
def split(op: Split, builder: Builder, data: Operand, axis: Operand) -> tuple[View, ...] | None:
    """Equal parts of a tensor, as views."""
    if not isinstance(axis, np.ndarray):
        return None
    along = int(axis.reshape(())) % data.ndim
    return _parts(builder.view(data), along, [data.shape[along] // op.num_splits] * op.num_splits)


@lowers(VariadicSplit, numbers=(2,))
def split_unevenly(
    op: VariadicSplit, builder: Builder, data: Operand, axis: Operand, lengths: Operand
) -> tuple[View, ...] | None:
    """Parts of a tensor, as views."""
    if not isinstance(axis, np.ndarray) or not isinstance(lengths, np.ndarray):
        return None
    along, sizes = int(axis.reshape(-1)[0]) % data.ndim, lengths.tolist()
    rest = [place for place, size in enumerate(sizes) if isinstance(size, int) and size == -1]
    if rest:
        sizes[rest[0]] = data.shape[along] - (sum(sizes) + 1)
    return _parts(builder.view(data), along, sizes)


def _parts(data: View, axis: int, sizes: Sequence[Number]) -> tuple[View, ...]:
    found, place = [], 0
    for size in sizes:
        found.append(data[(slice(None),) * axis + (slice(place, place + size),)])
        place = place + size
    return tuple(found)


@lowers(GatherV7, GatherV8)
def picked(op: GatherV7 | GatherV8, builder: Builder, data: Operand, indices: Operand, axis: Operand) -> View | None:
    """Select one index along an axis, as a view."""
    if not isinstance(indices, np.ndarray) or not isinstance(axis, np.ndarray) or indices.size != 1 or op.batch_dims:
        return None
    place, along = int(indices.reshape(())), int(axis.reshape(())) % data.ndim
    if not 0 <= place < data.shape[along]:
        return None
    where: tuple[Any, ...] = (*(slice(None),) * along, place, ...)
    view: Operand = data[where]
    return view.reshape((*view.shape[:along], *indices.shape, *view.shape[along:]))


@lowers(Roll)
def rolled(op: Roll, builder: Builder, data: Operand, shift: Array, axes: Array) -> View | None:  # noqa: ARG001
    """Blocks between the places where axes are cut, copied to where they belong."""
    if not (builder.is_constant(shift) and builder.is_constant(axes) and is_f32(data) and data.ndim):
        return None
    shifts, along = np.atleast_1d(shift).tolist(), [axis % data.ndim for axis in np.atleast_1d(axes).tolist()]
    if len(shifts) != len(along) or len(set(along)) != len(along):
        return None
    out = empty_as(builder, data, data.dtype)
    pieces: list[list[tuple[slice, slice]]] = []
    for axis, size in enumerate(data.shape):
        cut = shifts[along.index(axis)] % size if axis in along else 0
        parts = [(slice(size - cut), slice(cut, size)), (slice(size - cut, size), slice(cut))]
        pieces.append(parts if cut else [(slice(size), slice(size))])
    for piece in itertools.product(*pieces):
        if not copied(builder, data[tuple(one for one, _ in piece)], out[tuple(other for _, other in piece)]):
            return None
    return out


@lowers(InterpolateV4, InterpolateV11)
def repeated(op: InterpolateV4 | InterpolateV11, builder: Builder, data: Operand, *others: Operand) -> View | None:
    """Images whose pixels are repeated equally often, as copies."""
    if op.mode != "nearest" or not is_f32(data) or data.ndim != 4 or not data.size or len(others) != len(op.inputs) - 1:
        return None
    if (
        not all(map(builder.is_constant, others))
        or others[-1].tolist() != [2, 3]
        or any((*op.pads_begin, *op.pads_end))
    ):
        return None
    batch, channels, height, width = data.shape
    numbers = np.arange(height * width, dtype=np.float64).reshape(1, 1, height, width)
    found = op.run(numbers, *others)
    down, across = found.shape[2] // height, found.shape[3] // width
    if not found.size or not np.array_equal(found, numbers.repeat(down, 2).repeat(across, 3)):
        return None
    out = builder.images((batch, channels, *found.shape[2:]))
    target = out.reshape(batch, channels, height, down, width, across)
    return out if copied(builder, broadcast(builder, data[:, :, :, None, :, None], target.shape), target) else None


@lowers(Concat)
def concatenated(op: Concat, builder: Builder, *inputs: Operand) -> View | None:
    """The inputs copied behind each other."""
    return _joined(builder, inputs, op.axis % inputs[0].ndim, None, False)


@lowers(FusedConcat)
def grown(op: FusedConcat, builder: Builder, *inputs: Operand) -> View | None:
    """The inputs copied behind each other, in memory with room for more."""
    return _joined(builder, inputs, op.axis, op.room, op.grows)


def _joined(builder: Builder, inputs: Sequence[Operand], axis: int, room: int | None, grows: bool) -> View | None:
    first = inputs[0]
    if not is_f32(*inputs) and not all(x.itemsize < 4 and x.dtype == first.dtype and x.size for x in inputs):
        return None
    sizes = list(first.shape)
    sizes[axis] = sum(x.shape[axis] for x in inputs)
    before = (slice(None),) * axis
    if grows:
        begun = builder.view(first)
        out = View(begun.buffer, begun.offset, tuple(sizes), begun.strides, begun.dtype)
        place, inputs = first.shape[axis], inputs[1:]
    else:
        order = axes_in_memory(first)
        lengths = list(sizes)
        lengths[axis] = room if room is not None else sizes[axis]
        laid = builder.empty([lengths[dim] for dim in order], first.dtype)
        out = laid.transpose(np.argsort(order).tolist())[(*before, slice(sizes[axis]))]
        place = 0
    for x in inputs:
        if not copied(builder, x, out[(*before, slice(place, place + x.shape[axis]))]):
            return None
        place += x.shape[axis]
    return out


@lowers(ShuffleChannels)
def shuffled(op: ShuffleChannels, builder: Builder, data: Operand) -> View | None:
    """Channels, one of each group in turn."""
    axis = op.axis % data.ndim
    if not is_f32(data) or axis != 1 or data.ndim != 4:
        return None
    batch, _, height, width = data.shape
    out = builder.images(data.shape)
    source = data.reshape(batch, op.group, -1, height, width).swapaxes(1, 2)
    return out if copied(builder, source, out.reshape(source.shape)) else None
