"""Transposed convolutions as products of an element and its neighbours, whose results are a block."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np

from irrun.ops._declared.fused.fused_products import FusedTransposedConvolution
from irrun.runtime.lowering.builder import Builder, Unsupported, lowers, require_f32
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.lowering.images import emit_depthwise
from irrun.runtime.lowering.products import (
    Factors,
    Operands,
    Steps,
    are_finite,
    emit_channels_last,
    emit_operands,
    emit_product,
    epilogue,
    types,
)
from irrun.runtime.symbolic import Number
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.pixels import ImageWindows


class _Axis(NamedTuple):
    """An axis whose results are computed in blocks of ``stride``, and a kernel of ``taps``, at least as many.

    There are some ``blocks`` from the one with number ``first`` on; ``size`` results are wanted, from ``crop`` on.
    """

    stride: int
    taps: int
    first: Number
    blocks: Number
    crop: Number
    size: Number

    def runs(self, *, is_split: bool) -> list[range]:
        """Places in a block that meet equally many taps, or each place."""
        if is_split:
            return [range(place, place + 1) for place in range(self.stride)]
        rest = self.taps % self.stride
        return [range(rest), range(rest, self.stride)] if rest else [range(self.stride)]


@lowers(FusedTransposedConvolution)
def lower_transposed_convolution(
    op: FusedTransposedConvolution, builder: Builder, data: Operand, summand: Operand | None = None
) -> Any:
    """A transposed convolution: a product for all places in blocks of results that meet equally many taps.

    Rows of a block are the groups of that product, and its columns the filters. At the border, weights meet zeros that
    the layer does not have; gaps between taps would meet NaN as zeros, too.
    """
    end = epilogue(op.activation)
    require_f32(summand, op.weights)
    if not are_finite(op):
        raise Unsupported("weights that are not finite, which meet zeros at the border")
    if _has_gaps(op):
        raise Unsupported("dilated kernels, or strides beyond them")
    if data.shape[1] != op.weights.shape[0] * op.weights.shape[1]:
        raise Unsupported("channels that do not fit the weights")

    x, _ = emit_operands(op, builder, data)
    x = emit_channels_last(builder, _as_volumes(x))
    axes = _axes(op, data)
    groups, depth, filters = op.weights.shape[:3]
    volumes = op.rounded_weights.reshape(groups, depth, filters, *(axis.taps for axis in axes))
    whole = [axis.blocks * axis.stride for axis in axes]
    inside = (..., *(slice(axis.crop, axis.crop + axis.size) for axis in axes))
    outs = [builder.images((data.shape[0], groups * filters, *whole), dtype) for dtype in types(op)]
    added = None if summand is None else emit_channels_last(builder, _as_volumes(summand))
    if added is not None and [axis.size for axis in axes] != whole:
        around = builder.images(outs[0].shape)
        emit_copy(builder, added, around[inside])
        added = around
    is_depthwise = groups > 1 and depth == filters == 1
    builder.algorithm = "depthwise" if is_depthwise else "product by blocks"
    split = (True, groups > 1, groups > 1)
    for runs in itertools.product(*(axis.runs(is_split=each) for axis, each in zip(axes, split, strict=True))):
        taps = [-(-(axis.taps - run.start) // axis.stride) for axis, run in zip(axes, runs, strict=True)]
        begins = [count - 1 - axis.first for axis, count in zip(axes, taps, strict=True)]
        here = (..., *(slice(run.start, None, axis.stride) for axis, run in zip(axes, runs, strict=True)))
        given = Operands(
            x,
            [out[here] for out in outs],
            None if added is None else added[here],
            end,
            ImageWindows(taps=tuple(taps), begins=tuple(begins)),
        )
        weights = _weights_of(volumes, axes, runs)
        if is_depthwise:
            emit_depthwise(builder, weights[:, 0, 0], op.bias, given)
            continue
        key = ("blocks", *(axis.stride for axis in axes), *(run.start for run in runs))
        factors = Factors(key, op.rounded_weights, weights)
        if groups == 1:
            factors = factors._replace(steps=Steps(0, outs[0].strides[3] // outs[0].itemsize, 0))
        emit_product(builder, factors, given, None if op.bias is None else np.tile(op.bias, len(runs[2])), 0)
        builder.cover(*(_in_runs(each, axes, runs) for each in (*outs, added) if each is not None))
    return tuple(out[inside][(..., *(0,) * (5 - data.ndim), *(slice(None),) * (data.ndim - 2))] for out in outs)


def _as_volumes(x: Any) -> Any:
    """[N, C, *S] with three spatial axes."""
    return x[(slice(None), slice(None), *(None,) * (5 - x.ndim))]


def _has_gaps(op: FusedTransposedConvolution) -> bool:
    """Return whether the taps that meet a result are not consecutive, or there are results that meet none."""
    windows = op.source.windows(op.weights.ndim - 3)
    spans = zip(op.weights.shape[3:], windows.strides, windows.dilations, strict=True)
    return any(taps < stride or (taps > 1 and dilation > 1) for taps, stride, dilation in spans)


def _in_runs(images: View, axes: list[_Axis], runs: tuple[range, ...]) -> View:
    """The places in each block of images that are in some runs."""
    blocks = images.reshape(*images.shape[:2], *(size for axis in axes for size in (axis.blocks, axis.stride)))
    return blocks[(..., *(key for run in runs for key in (slice(None), slice(run.start, run.stop))))]


def _axes(op: FusedTransposedConvolution, data: Operand) -> list[_Axis]:
    """The three spatial axes, the first of which may not be there."""
    windows, kernel = op.source.windows(data.ndim - 2), op.weights.shape[3:]
    begins, sizes = op.source.place(data.shape[2:], kernel, op.wanted)
    axes = [_Axis(1, 1, 0, 1, 0, 1)] * (5 - data.ndim)
    for taps, stride, begin, size in zip(kernel, windows.strides, begins, sizes, strict=True):
        first, last = begin // stride, -(-(begin + size) // stride)
        axes.append(_Axis(stride, taps, first, last - first, begin - first * stride, size))
    return axes


def _weights_of(weights: Array, axes: list[_Axis], runs: tuple[range, ...]) -> Array:
    """Weights [groups, filters, I, *taps] for some places in a block, of [G, I, O, *K]; the first taps come last."""

    def place(*starts: int) -> Array:
        here: Any = (..., *(slice(start, None, axis.stride) for start, axis in zip(starts, axes, strict=True)))
        taps: Array = weights[here][..., ::-1, ::-1, ::-1]
        return taps.swapaxes(1, 2)

    (plane,), rows, columns = runs
    return np.concatenate([np.concatenate([place(plane, row, each) for each in columns], axis=1) for row in rows])
