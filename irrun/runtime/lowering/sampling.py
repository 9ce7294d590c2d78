"""Interpolation, and means and samples whose elements tables choose."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.interpolate import Axis, Resampling, Taps
from irrun.kernels.pooling import adaptive_windows
from irrun.ops._declared.detection.roi_align import ROIAlignV3, ROIAlignV9
from irrun.ops._declared.image.grid_sample import GridSample
from irrun.ops._declared.image.interpolate import InterpolateV1, InterpolateV4, InterpolateV11, pads
from irrun.ops._declared.image.resizing import scaled_down
from irrun.ops._declared.movement.pad import PadV12
from irrun.ops._declared.pooling.adaptive_avg_pool import AdaptiveAvgPool
from irrun.runtime.lowering.builder import F32, I64, Builder, Unsupported, lowers, memory_order, require_f32, share
from irrun.runtime.lowering.chains import ChainValue, Expression, emit_type
from irrun.runtime.lowering.copies import emit_contiguous, emit_copy, emit_picks
from irrun.runtime.lowering.movement import lower_pad
from irrun.runtime.lowering.products import emit_channels_last
from irrun.runtime.symbolic import Number, hint_of, is_same, of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.regions import Regions, pool_regions
from irrun_kernels.sampling import Samples, sample

_FEW: Final = 8
"""Elements from one to the next along an axis below which another layout is faster."""


class _Along(NamedTuple):
    """An axis to resample: its index, its sizes before and after, and its ``taps`` as a function of ``numbers``.

    Taps of a negative index are left out.
    """

    axis: int
    size: Number
    target: Number
    taps: Callable[..., Taps]
    numbers: Sequence[Number]

    @property
    def keeps(self) -> bool:
        """Return whether all elements stay as they are."""
        if not is_same(self.size, self.target):
            return False
        index, weights = self.taps(*map(hint_of, self.numbers))
        return index.shape[1] == 1 and (index[:, 0] == np.arange(len(index))).all() and bool((weights == 1).all())


@lowers(InterpolateV1, InterpolateV4, InterpolateV11, numbers=(1, 2, 3))
def lower_interpolate(op: Any, builder: Builder, data: Operand, *others: Operand) -> View:
    """Axes resampled one after the other, or elements picked along all of them."""
    if not all(map(builder.is_constant, others)):
        raise Unsupported("sizes, scales or axes that depend on values")
    if any((*op.pads_begin, *op.pads_end)):
        begins, ends = map(np.array, pads(op, data.ndim))
        data = lower_pad(PadV12(pad_mode="constant"), builder, data, begins, ends)
    axes, how = _resampled(op, data.shape, others)
    if how.picks:
        builder.algorithm = "picks elements"
        moved = sorted(of for of in axes if not of.keeps)
        sizes, numbers = {of.axis: of.target for of in moved}, moved[0].numbers if moved else ()
        return emit_picks(builder, data, sizes, lambda *values: (of.taps(*values)[0][:, 0] for of in moved), numbers)
    builder.algorithm = "axis by axis"
    require_f32(data)
    if how.as_pillow:
        axes = [of for of in reversed(axes) if of.size != of.target]
    along = {of.axis for of in axes if hint_of(of.size) != hint_of(of.target)}
    is_last = data.ndim > 3 and len(along) > 1 and 1 not in along and data.shape[1] >= _FEW
    result = emit_channels_last(builder, data) if is_last else builder.view(data)
    for of in axes:
        result = _emit_samples(builder, result, of)
    return result


def _resampled(op: Any, shape: Sequence[Number], others: Sequence[Any]) -> tuple[list[_Along], Resampling]:
    """The axes that an Interpolate resamples, and how."""
    numbers = [*shape, *itertools.chain(*(other.reshape(-1).tolist() for other in others))]

    def resampling(*values: Any) -> tuple[list[Axis], Resampling]:
        rest = iter(values)
        sizes, *arrays = (list(itertools.islice(rest, count)) for count in (len(shape), *(x.size for x in others)))
        found: tuple[list[Axis], Resampling] = op.resampling(sizes, *map(np.array, arrays))
        return found

    def taps(number: int, *values: Any) -> Taps:
        axes, how = resampling(*values)
        index, weights = how.taps(axes[number])
        used: Array = np.asarray(weights.any(0))
        used[0] |= not used.any()
        return np.clip(index[:, used], 0, axes[number].size - 1), weights[:, used]

    axes, how = resampling(*map(hint_of, numbers))
    has_scales = getattr(op, "shape_calculation_mode", "sizes") == "scales"
    given = others[has_scales and isinstance(op, InterpolateV4)].reshape(-1).tolist()
    found = []
    for number, (of, by) in enumerate(zip(axes, given, strict=False)):
        target = of_sizes(scaled_down)(shape[of.axis], by) if has_scales else by
        table = functools.lru_cache(1)(functools.partial(taps, number))
        found.append(_Along(of.axis, shape[of.axis], target, table, numbers))
    return found, how


@lowers(AdaptiveAvgPool, numbers=(1,))
def lower_adaptive_avg_pool(_op: AdaptiveAvgPool, builder: Builder, data: Operand, sizes: Operand) -> View:
    """Means of windows that cover an axis evenly, axis by axis."""
    require_f32(data)
    if not builder.is_constant(sizes):
        raise Unsupported("sizes that depend on values")
    result = builder.view(data)
    for axis, count in enumerate(sizes.reshape(-1).tolist(), start=2):
        numbers = [data.shape[axis], count]
        of = _Along(axis, data.shape[axis], count, functools.lru_cache(1)(_means), numbers)
        result = _emit_samples(builder, result, of)
    return result


def _means(size: int, count: int) -> Taps:
    """The windows that cover an axis evenly."""
    starts, lengths = adaptive_windows(size, count)
    taps = np.arange(lengths.max(initial=1))
    index = np.where(taps < lengths[:, None], starts[:, None] + taps, -1)
    return index, np.broadcast_to((1 / lengths)[:, None], index.shape)


def _emit_samples(builder: Builder, x: View, of: _Along) -> View:
    """Sums of elements along an axis."""
    if of.keeps:
        return x
    order = memory_order(x)
    place = order.index(of.axis)
    if math.prod(x.shape[other] for other in order[place + 1 :]) < _FEW:
        order, place = [of.axis, *order[:place], *order[place + 1 :]], 0
    whole = emit_contiguous(builder, x.transpose(order))
    out = builder.empty((*whole.shape[:place], of.target, *whole.shape[place + 1 :]))
    stacks, columns = math.prod(whole.shape[:place]), math.prod(whole.shape[place + 1 :])
    count = of_sizes(lambda *values: of.taps(*values)[0].shape[1])(*of.numbers)
    places = builder.table(lambda *values: of.taps(*values)[0].T, of.numbers, (count, of.target), I64)
    weights = builder.table(lambda *values: of.taps(*values)[1].T, of.numbers, (count, of.target), F32)
    _emit_sums(builder, whole, out, (places, weights), (stacks, whole.shape[place], columns, of.target, count), 0)
    return out.transpose(np.argsort(order).tolist())


_Sizes = tuple[Number, Number, Number, Number, Number]


def _emit_sums(
    builder: Builder, x: View, out: View, tables: tuple[Operand, Operand], sizes: _Sizes, next_table: Number
) -> None:
    """Add a call for sums; ``sizes`` are stacks, elements of an axis, columns, results and taps."""
    rows = sizes[0] * sizes[3]
    each, tasks = share(rows, 0.06 * sizes[4] * out.size + 5 * rows)
    places, weights = map(builder.address, tables)
    arguments = Samples(builder.address(x), builder.address(out), places, weights, *sizes, next_table, each)
    builder.call(sample, arguments, tasks)


_FAR: Final = 2.0**40
"""A place that is outside of any image."""


@lowers(GridSample)
def lower_grid_sample(op: GridSample, builder: Builder, data: Operand, grid: Operand) -> View:
    """Pixels at the places of a grid, as sums of those around them."""
    require_f32(data, grid)
    if op.mode == "bicubic" or op.padding_mode == "reflection":
        raise Unsupported("samples that are cubic, or reflected outside")
    if grid.shape[0] != data.shape[0] or grid.shape[3] != 2:
        raise Unsupported("a grid that does not fit the images")
    x = emit_contiguous(builder, builder.view(data).moveaxis(1, -1))
    (batch, height, width, channels), (_, rows, columns, _) = x.shape, grid.shape
    points, taps = rows * columns, 1 if op.mode == "nearest" else 2
    sizes, steps = (builder.view(builder.numbers(pair)).reshape(2, 1, 1, 1) for pair in ((width, height), (1, width)))

    # Of both coordinates at the same time: arrays are [2, images, taps, points]. Each operation is rounded by itself.
    given = emit_contiguous(builder, builder.view(grid).moveaxis(-1, 0)).reshape(2, batch, 1, points)
    e = Expression(builder)
    one, size = e.number(1, "f"), e.read(sizes)
    span = e("to_d", e("subtract", size, e.number(1, "q")) if op.align_corners else size)
    scaled = e("to_f", e("multiply", e("to_d", e("add", e.read(given), one)), span))
    shifted = scaled if op.align_corners else e("subtract", scaled, one)
    at = e.emit(e("multiply", shifted, e.number(0.5, "f")), F32)
    e = Expression(builder)
    nearest = e("rint" if taps == 1 else "floor", e.read(at))
    whole = e("to_q", e("clamp", nearest, e.number(-_FAR, "f"), e.number(_FAR, "f")))
    index, size = e("add", whole, e.read(np.arange(taps).reshape(taps, 1))), e.read(sizes)
    if op.padding_mode == "border":
        index = e("minimum", e("maximum", index, e.number(0, "q")), e("subtract", size, e.number(1, "q")))
    parts = e.emit(e("place", index, size, e.read(steps)), I64)

    # Of pairs of taps: arrays are [images, taps, taps, points].
    def across_and_down(e: Expression, x: View) -> tuple[ChainValue, ChainValue]:
        return e.read(x[0].reshape(batch, 1, taps, points)), e.read(x[1].reshape(batch, taps, 1, points))

    weights = builder.empty((batch, taps, taps, points))
    if taps == 1:
        emit_copy(builder, np.ones((), np.float32), weights)
    else:
        e = Expression(builder)
        x_y = e.read(at)
        distance = e("subtract", e.read(np.array([[1], [0]], np.float32)), e("subtract", x_y, e("floor", x_y)))
        factors = e.emit(e("abs", distance), F32)
        e = Expression(builder)
        e.emit_into(e("multiply", *across_and_down(e, factors)), weights)
    e = Expression(builder)
    place, weight = e("add", *across_and_down(e, parts)), e.read(weights)
    # Weights that are NaN count, also outside of the image.
    is_number, everywhere = e("equal", weight, weight), e.number(0, "Q")
    places = e.emit(e("select", is_number, place._replace(kind="Q"), everywhere)._replace(kind="q"), I64)
    out = builder.empty((batch, rows, columns, channels))
    sizes_of = (batch, height * width, channels, points, taps * taps)
    _emit_sums(builder, x, out, (places, weights), sizes_of, taps * taps * points)
    return out.moveaxis(-1, 1)


_OFFSETS = {"asymmetric": (0.0, 0.0), "half_pixel_for_nn": (0.0, 0.5), "half_pixel": (0.5, 0.5)}
"""The numbers added to coordinates of the image, and subtracted from those of the feature map, by the mode."""


@lowers(ROIAlignV3, ROIAlignV9)
def lower_roi_align(
    op: ROIAlignV3 | ROIAlignV9, builder: Builder, data: Operand, rois: Operand, batches: Operand
) -> View:
    """Bins of regions as means of samples; regions that are nowhere are faults."""
    require_f32(data)
    require_f32(rois, may_be_found=True)
    if not op.pooled_h * op.pooled_w or op.mode == "max":
        raise Unsupported("regions without bins, or their maxima")
    mode = op.aligned_mode if isinstance(op, ROIAlignV9) else "asymmetric"
    x, boxes = emit_contiguous(builder, builder.view(data).moveaxis(1, -1)), emit_contiguous(builder, rois)
    indices = emit_contiguous(builder, emit_type(builder, batches, I64))
    images, height, width, channels = x.shape
    out = builder.empty((rois.shape[0], op.pooled_h, op.pooled_w, channels))
    lines = out.shape[0] * op.pooled_h
    each, tasks = share(lines, max(op.sampling_ratio, 2) ** 2 * 0.3 * out.size)
    before, after = _OFFSETS[mode]
    arguments = Regions(
        x=builder.address(x),
        boxes=builder.address(boxes),
        batches=builder.address(indices),
        out=builder.address(out),
        misfit=builder.failure,
        images=images,
        height=height,
        width=width,
        channels=channels,
        regions=out.shape[0],
        rows=op.pooled_h,
        columns=op.pooled_w,
        ratio=op.sampling_ratio,
        lines_per_task=each,
        before=before,
        scale=op.spatial_scale,
        after=after,
        least=1.0 if mode == "asymmetric" else -math.inf,
    )
    builder.call(pool_regions, arguments, tasks)
    return out.moveaxis(-1, 1)
