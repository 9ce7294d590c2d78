"""Interpolation, and means and samples whose elements tables choose."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from irrun.kernels.adaptive_pooling import adaptive_windows
from irrun.kernels.interpolate import Axis, Taps
from irrun.kernels.layout import axes_in_memory
from irrun.ops.image.grid_sample import GridSample
from irrun.ops.image.interpolate import InterpolateV1, InterpolateV4, InterpolateV11
from irrun.ops.image.resizing import to_rank
from irrun.ops.movement.pad import PadV12
from irrun.ops.pooling.adaptive_avg_pool import AdaptiveAvgPool
from irrun.runtime.lowering.builder import I64, Builder, is_f32, lowers, share
from irrun.runtime.lowering.copies import contiguous, copied, laid_as
from irrun.runtime.lowering.geometry import channels_last
from irrun.runtime.lowering.movement import lower_pad
from irrun.runtime.symbolic import Number
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.sampling import (
    BICUBIC,
    BILINEAR,
    BORDER,
    NEAREST,
    REFLECTED,
    REFLECTED_CENTERS,
    ZEROS,
    Grid,
    Samples,
    locate_samples,
    sample,
)

_FEW: Final = 8
"""Elements from one to the next along an axis below which another layout is faster."""


@lowers(InterpolateV1, InterpolateV4, InterpolateV11, numbers=(1, 2, 3))
def lower_interpolate(op: Any, builder: Builder, data: Operand, *others: Operand) -> View | None:
    """Axes resampled one after the other, or elements picked along all of them."""
    if not all(map(builder.is_constant, others)):
        return None
    if any((*op.pads_begin, *op.pads_end)):
        begins, ends = (np.array(to_rank(pads, data.ndim)) for pads in (op.pads_begin, op.pads_end))
        around = lower_pad(PadV12(pad_mode="constant"), builder, data, begins, ends)
        if around is None:
            return None
        data = around
    axes, how = op.resampling(data.shape, *others)
    if how.picks:
        return _picked(builder, data, [(of.axis, how.taps(of)[0][:, 0]) for of in axes])
    along = {of.axis for of in axes if of.size != of.target}
    is_last = data.ndim > 3 and len(along) > 1 and 1 not in along and data.shape[1] >= _FEW
    result = channels_last(builder, data) if is_last and is_f32(data) else builder.view(data)
    for of in how.order(axes) if is_f32(data) else [None]:
        result = (
            None if of is None or result is None else _sampled(builder, result, of.axis, *_clipped(of, how.taps(of)))
        )
    return result


def _clipped(of: Axis, taps: Taps) -> Taps:
    """Taps inside of an axis, without those of weight 0 everywhere."""
    index, weights = taps
    used: Array = np.asarray(weights.any(0))
    used[0] |= not used.any()
    return np.clip(index[:, used], 0, of.size - 1), weights[:, used]


def _picked(builder: Builder, data: Operand, picks: list[tuple[int, Array]]) -> View | None:
    """Elements at some places of axes."""
    source, shape = builder.view(data), list(data.shape)
    places: Array = np.zeros((1,) * data.ndim, np.int64)
    for axis, index in picks:
        if data.shape[axis] == len(index) and (index == np.arange(len(index))).all():
            continue
        shape[axis] = len(index)
        step = int(source.strides[axis] // data.itemsize)
        places = places + step * index.reshape(-1, *(1,) * (data.ndim - 1 - axis))
        source = source[(slice(None),) * axis + (slice(0, 1),)]
    out = builder.wanted(shape, data.dtype) or laid_as(builder, data, shape)
    return out if copied(builder, source, out, places if places.any() else None) else None


@lowers(AdaptiveAvgPool, numbers=(1,))
def lower_adaptive_avg_pool(op: AdaptiveAvgPool, builder: Builder, data: Operand, sizes: Operand) -> View | None:  # noqa: ARG001
    """Means of windows that cover an axis evenly, axis by axis."""
    if not is_f32(data) or not builder.is_constant(sizes):
        return None
    result: View | None = builder.view(data)
    for axis, count in enumerate(map(int, sizes), start=2):
        starts, lengths = adaptive_windows(int(data.shape[axis]), count)
        taps = np.arange(lengths.max(initial=1))
        index = np.where(taps < lengths[:, None], starts[:, None] + taps, -1)
        weights = np.broadcast_to((1 / lengths)[:, None], index.shape)
        result = None if result is None else _sampled(builder, result, axis, index, weights)
    return result


def _sampled(builder: Builder, x: View, axis: int, index: Array, weights: Array) -> View | None:
    """Sums of elements along an axis by tables [results, taps]; elements of negative index are left out."""
    results, taps = index.shape
    if taps == 1 and x.shape[axis] == results and (index[:, 0] == np.arange(results)).all() and (weights == 1).all():
        return x
    order = axes_in_memory(x)
    place = order.index(axis)
    if math.prod(x.shape[other] for other in order[place + 1 :]) < _FEW:
        order, place = [axis, *order[:place], *order[place + 1 :]], 0
    whole = contiguous(builder, x.transpose(order))
    if whole is None:
        return None
    out = builder.empty((*whole.shape[:place], results, *whole.shape[place + 1 :]))
    stacks, columns = math.prod(whole.shape[:place]), math.prod(whole.shape[place + 1 :])
    tables = (
        builder.view(np.ascontiguousarray(index.T, np.int64)),
        builder.view(np.ascontiguousarray(weights.T, np.float32)),
    )
    _sum(builder, whole, out, tables, (stacks, whole.shape[place], columns, results, taps), 0)
    return out.transpose(np.argsort(order).tolist())


_Sizes = tuple[Number, Number, Number, Number, Number]


def _sum(builder: Builder, x: View, out: View, tables: tuple[View, View], sizes: _Sizes, next_table: Number) -> None:
    """Add a call for sums; ``sizes`` are stacks, elements of an axis, columns, results and taps."""
    rows = sizes[0] * sizes[3]
    each, tasks = share(rows, 0.06 * sizes[4] * out.size + 5 * rows)
    places, weights = map(builder.address, tables)
    arguments = Samples(builder.address(x), builder.address(out), places, weights, *sizes, next_table, each)
    builder.call(sample, arguments, tasks)


_TAPS: Final = {"nearest": NEAREST, "bilinear": BILINEAR, "bicubic": BICUBIC}
_OUTSIDE: Final = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTED}


@lowers(GridSample)
def lower_grid_sample(op: GridSample, builder: Builder, data: Operand, grid: Operand) -> View | None:
    """Pixels at the places of a grid, as sums of those around them."""
    if not is_f32(data, grid) or grid.shape[0] != data.shape[0] or grid.shape[3] != 2:
        return None
    x, places = contiguous(builder, builder.view(data).moveaxis(1, -1)), contiguous(builder, grid)
    if x is None or places is None:
        return None
    (batch, height, width, channels), (_, rows, columns, _) = x.shape, grid.shape
    taps, points, outside = _TAPS[op.mode], rows * columns, _OUTSIDE[op.padding_mode]
    if outside == REFLECTED and op.align_corners:
        outside = REFLECTED_CENTERS
    tables = builder.empty((batch, taps * taps, points), I64), builder.empty((batch, taps * taps, points))
    each, tasks = share(batch * points, (10 + 2 * taps * taps) * batch * points)
    grid_at, places_at, weights_at = map(builder.address, (places, *tables))
    arguments = Grid(
        grid_at,
        places_at,
        weights_at,
        images=batch,
        points=points,
        height=height,
        width=width,
        taps=taps,
        outside=outside,
        align_corners=int(op.align_corners),
        points_per_task=each,
    )
    builder.call(locate_samples, arguments, tasks, 32)
    out = builder.empty((batch, rows, columns, channels))
    table = taps * taps * points
    _sum(builder, x, out, tables, (batch, height * width, channels, points, taps * taps), table)
    return out.moveaxis(-1, 1)
