"""Slices, pads and other rearrangements, as views and copies."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irrun.kernels.blocks import by_channel, split
from irrun.kernels.windows import bounded
from irrun.ops._declared.fused.fused_views import KEPT, FusedChannels, FusedExpand
from irrun.ops._declared.movement.broadcast import BroadcastV1, BroadcastV3
from irrun.ops._declared.movement.depth_to_space import DepthToSpace
from irrun.ops._declared.movement.pad import PadV1, PadV12
from irrun.ops._declared.movement.reverse import Reverse
from irrun.ops._declared.movement.roll import Roll
from irrun.ops._declared.movement.slice import Slice
from irrun.ops._declared.movement.slice_scatter import SliceScatter
from irrun.ops._declared.movement.space_to_depth import SpaceToDepth
from irrun.ops._declared.movement.split import Split
from irrun.ops._declared.movement.strided_slice import StridedSlice
from irrun.ops._declared.movement.tile import Tile
from irrun.ops._declared.movement.variadic_split import VariadicSplit
from irrun.runtime.lowering.builder import Builder, Unsupported, broadcast_shape, empty_as, integers, lowers
from irrun.runtime.lowering.copies import emit_copy, emit_padded, emit_picks, part_of
from irrun.runtime.symbolic import Number, is_same
from irrun.runtime.view import Operand, View
from irrun.tensor import Array


@lowers(FusedChannels)
def lower_channels(op: FusedChannels, builder: Builder, data: Operand) -> View:
    """Some channels, as a view."""
    return builder.view(data)[:, op.start : op.stop]


@lowers(Split, VariadicSplit, numbers=(1, 2))
def lower_split(
    op: Split | VariadicSplit, builder: Builder, data: Operand, axis: Operand, *lengths: Operand
) -> tuple[View, ...]:
    """Parts of a tensor, as views."""
    along = integers(axis, "an axis")[0] % data.ndim
    if isinstance(op, Split):
        sizes = [data.shape[along] // op.num_splits] * op.num_splits
    else:
        sizes = integers(lengths[0], "the size of a part")
    rest = [place for place, size in enumerate(sizes) if is_same(size, -1)]
    if rest:
        sizes[rest[0]] = data.shape[along] - (sum(sizes) + 1)
    found, place = [], 0
    for size in sizes:
        found.append(part_of(builder.view(data), *(slice(None),) * along, slice(place, place + size)))
        place = place + size
    return tuple(found)


@lowers(Slice, numbers=(1, 2, 3, 4))
def lower_slice(_op: Slice, builder: Builder, data: Operand, *bounds: Operand) -> View:
    """A part of a tensor, as a view."""
    return builder.view(data)[_keys(data.ndim, *bounds)]


def _keys(rank: int, start: Operand, stop: Operand, step: Operand, *axes: Operand) -> tuple[slice, ...]:
    """The index expression of a slice."""
    firsts, lasts, steps = (integers(x, "a bound") for x in (start, stop, step))
    along = integers(axes[0], "an axis") if axes else range(len(firsts))
    keys = [slice(None)] * rank
    for axis, first, last, pace in zip(along, firsts, lasts, steps, strict=True):
        keys[axis] = slice(first, last, pace)
    return tuple(keys)


@lowers(StridedSlice, numbers=(1, 2, 3))
def lower_strided_slice(
    op: StridedSlice, builder: Builder, data: Operand, begin: Operand, end: Operand, stride: Operand | None = None
) -> View:
    """A part of a tensor, as a view."""
    firsts, lasts = integers(begin, "a bound"), integers(end, "a bound")
    paces = [1] * len(firsts) if stride is None else integers(stride, "a stride")
    keys: list[Any] = []
    for what, position, _ in op.parts(data.ndim, len(firsts)):
        if what == "slice":
            keys.append(slice(*op.bounds(position, firsts, lasts, paces[position]), paces[position]))
        elif what == "shrink":
            keys.append(firsts[position])
        else:
            keys.append(None if what == "new" else slice(None))
    return builder.view(data)[(*keys, ...)]


@lowers(Reverse, numbers=(1,))
def lower_reverse(op: Reverse, builder: Builder, data: Operand, axis: Operand) -> View:
    """A view with some axes backward."""
    given = integers(axis, "an axis") if axis.size else []
    where = {place for place, flag in enumerate(given) if flag} if op.mode == "mask" else {x % data.ndim for x in given}
    backward = slice(None, None, -1)
    return builder.view(data)[tuple(backward if number in where else slice(None) for number in range(data.ndim))]


@lowers(SliceScatter, numbers=(2, 3, 4, 5))
def lower_slice_scatter(_op: SliceScatter, builder: Builder, data: Operand, updates: Operand, *bounds: Any) -> View:
    """A copy, and a copy onto a part of that."""
    out = empty_as(builder, data, data.dtype)
    target = out[_keys(data.ndim, *bounds)]
    if target.shape != updates.shape:
        raise Unsupported("updates that do not fit the slice")
    emit_copy(builder, data, out)
    emit_copy(builder, updates, target)
    return out


@lowers(BroadcastV1, BroadcastV3, numbers=(1, 2))
def lower_broadcast(
    op: BroadcastV1 | BroadcastV3, builder: Builder, data: Operand, target: Operand, axes: Array | None = None
) -> View:
    """Elements repeated along new axes and those of size 1."""
    if op.mode == "pdpd":
        raise Unsupported("mode pdpd")
    shape = integers(target, "the shape")
    if op.mode in ("explicit", "none") or (op.mode is None and axes is not None):
        mapped = [] if axes is None else integers(axes, "an axis")
        if len(mapped) != data.ndim or not set(mapped) <= set(range(len(shape))):
            raise Unsupported("axes that do not fit the shape")
        data = part_of(data, *(slice(None) if axis in mapped else None for axis in range(len(shape))))
    if op.mode == "bidirectional":
        shape = list(broadcast_shape(data.shape, shape))
    return _emit_repeats(builder, data, shape)


@lowers(FusedExpand, numbers=(1,))
def lower_expand(_op: FusedExpand, builder: Builder, data: Operand, target: Operand) -> View:
    """Elements repeated along axes of size 1."""
    shape = integers(target, "the shape")
    return _emit_repeats(builder, data, broadcast_shape(data.shape, [shape[axis] for axis in KEPT]))


def _emit_repeats(builder: Builder, data: Operand, shape: Sequence[Number]) -> View:
    """Elements repeated along new axes and those of size 1; the array itself if there are none."""
    pairs = zip(data.shape, shape, strict=False)
    if data.ndim == len(shape) and all(size == wanted for size, wanted in pairs):
        return builder.view(data)
    return emit_copy(builder, data, builder.empty(shape, data.dtype))


@lowers(Tile, numbers=(1,))
def lower_tile(_op: Tile, builder: Builder, data: Operand, repeats: Operand) -> View:
    """Elements repeated along all axes."""
    counts = integers(repeats, "the number of repeats")
    if any(count < 0 for count in counts):
        raise Unsupported("a negative number of repeats")
    counts = [1] * (data.ndim - len(counts)) + counts
    data = data[(None,) * (len(counts) - data.ndim) + (...,)]
    pairs = [*zip(counts, data.shape, strict=True)]
    out = builder.empty([count * size for count, size in pairs], data.dtype)
    emit_copy(builder, part_of(data, *(None, slice(None)) * len(pairs)), out.reshape([*itertools.chain(*pairs)]))
    return out


@lowers(PadV1, PadV12, numbers=(1, 2))
def lower_pad(
    op: PadV1 | PadV12, builder: Builder, data: Operand, begins: Operand, ends: Operand, value: Operand | None = None
) -> View:
    """A copy into the middle with a number beside it, or elements at mirrored places."""
    before, after = (integers(pads, "a pad") for pads in (begins, ends))
    if any(_cut(begin) + _cut(end) > size for begin, size, end in zip(before, data.shape, after, strict=True)):
        raise Unsupported("negative pads beyond the size of an axis")
    shape = [begin + size + end for begin, size, end in zip(before, data.shape, after, strict=True)]
    if op.pad_mode == "constant":
        number = np.zeros(1, data.dtype) if value is None else value.reshape(-1)[:1]
        middle, most_before = part_of(data, *_cropped(data, before, after)), [max(pad, 0) for pad in before]
        return emit_padded(builder, middle, empty_as(builder, data, data.dtype, shape), most_before, number)
    if not all(map(_is_padable, [op.pad_mode] * data.ndim, data.shape, before, after)):
        raise Unsupported(f"pads of mode {op.pad_mode} beyond the size of an axis")
    pads = enumerate(zip(before, after, strict=True))
    sizes = {axis: shape[axis] for axis, pair in pads if not all(is_same(pad, 0) for pad in pair)}

    def indices(*values: Any) -> Iterator[Array]:
        for axis in sizes:
            begin, size, end = values[axis :: data.ndim]
            yield bounded(np.arange(-begin, size + end), size, op.pad_mode)

    return emit_picks(builder, data, sizes, indices, [*before, *data.shape, *after])


def _cut(pad: Number) -> Number:
    """The elements that a negative pad removes."""
    return -pad if pad < 0 else 0


def _cropped(data: Operand, before: Sequence[int], after: Sequence[int]) -> Iterator[slice]:
    for begin, size, end in zip(before, data.shape, after, strict=True):
        yield slice(-begin if begin < 0 else 0, size + end if end < 0 else size)


def _is_padable(mode: str, size: int, before: int, after: int) -> bool:
    """Return whether an axis has enough elements for its pads."""
    most = max(before, after)
    if mode == "edge":
        return most <= 0 or size > 0
    return most <= size - (mode == "reflect")


@lowers(Roll)
def lower_roll(_op: Roll, builder: Builder, data: Operand, shift: Operand, axes: Operand) -> View:
    """Elements at shifted places of axes."""
    if not data.ndim:
        raise Unsupported("a scalar")
    shifts, along = integers(shift, "a shift"), [axis % data.ndim for axis in integers(axes, "an axis")]
    if len(shifts) != len(along) or len(set(along)) != len(along):
        raise Unsupported("several shifts of an axis")
    shift_of = dict(sorted(zip(along, shifts, strict=True)))
    sizes = {axis: data.shape[axis] for axis in shift_of}

    def indices(*values: Any) -> Iterator[Array]:
        return map(np.roll, map(np.arange, values), values[len(sizes) :])

    return emit_picks(builder, data, sizes, indices, [*sizes.values(), *shift_of.values()])


@lowers(SpaceToDepth, DepthToSpace)
def lower_blocks(op: SpaceToDepth | DepthToSpace, builder: Builder, data: Operand) -> View:
    """Blocks of pixels as channels, or channels as blocks of pixels."""
    (batch, channels, *sizes), block = data.shape, op.block_size
    blocks, depth_first = (block,) * len(sizes), op.mode == "depth_first"
    points = math.prod(blocks)
    if isinstance(op, SpaceToDepth):
        out = builder.images([batch, channels * points, *(size // block for size in sizes)], data.dtype)
        emit_copy(builder, split(data, 2, blocks), by_channel(out, block, depth_first=depth_first))
    else:
        out = builder.images([batch, channels // points, *(size * block for size in sizes)], data.dtype)
        emit_copy(builder, by_channel(data, block, depth_first=depth_first), split(out, 2, blocks))
    return out
