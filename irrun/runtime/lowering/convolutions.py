"""Convolutions as products: with the pixels that each tap meets, or by tiles."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from typing import Any

import numpy as np

from irrun.kernels.chain import Call
from irrun.kernels.chain import Chain as Functions
from irrun.ops.fused.fused_convolution import FEW_CHANNELS, FusedConvolution
from irrun.ops.fused.fused_transposed_convolution import FusedTransposedConvolution
from irrun.runtime.lowering.builder import F32, Builder, is_f32, lowers
from irrun.runtime.lowering.conversions import operand, types
from irrun.runtime.lowering.elementwise import chained, epilogue
from irrun.runtime.lowering.geometry import as_images, channels_last, placed
from irrun.runtime.lowering.images import channel_by_channel
from irrun.runtime.lowering.padding import padded, taps_as_channels
from irrun.runtime.lowering.products import Operands, alone, multiply, of_windows
from irrun.runtime.lowering.tiles import by_tiles, is_worth_tiles
from irrun.runtime.view import Operand
from irrun.tensor import Array
from irrun_kernels.pixels import Geometry


@lowers(FusedConvolution)
def convolved(op: FusedConvolution, builder: Builder, data: Operand, summand: Operand | None = None) -> Any:
    """A convolution as a product, or channel by channel.

    Channel by channel, taps that meet padding are omitted: None if they would yield NaN.
    """
    end = epilogue(op.activation)
    groups, filters, depth, *kernel = op.weights.shape
    if end is None or not is_f32(summand, op.weights) or data.ndim not in (3, 4):
        return None
    found = placed(op.source.windows(data.ndim - 2), kernel, data)
    if found is None:
        return None
    if op.is_depthwise and not np.isfinite(op.weights).all():
        return None
    geometry, counts = found
    given = operand(op, builder, data)
    if given is None:
        return None
    data = given
    few = groups == 1 and depth < FEW_CHANNELS and geometry.kernel_width > 1 and geometry.dilation_width == 1
    few = few and data.dtype == F32
    x = as_images(data) if few and op.least is None else channels_last(builder, as_images(data))
    added = None if summand is None else channels_last(builder, as_images(summand))
    if x is None or (summand is not None and added is None):
        return None
    if op.least is not None:
        raised = builder.images(x.shape)
        functions = Functions((Call(np.maximum, (0, 1), 2),), 2, 1)
        if not chained(builder, functions, [x, op.least.reshape(-1, 1, 1)], raised):
            return None
        x = raised
    shape = (data.shape[0], groups * filters, *counts)
    outs = [builder.images(shape, dtype) for dtype in types(op)]
    if op.is_depthwise:
        channel_by_channel(op, builder, Operands(x, outs, added, end, geometry))
    elif groups == 1 and not op.accurate and is_worth_tiles(geometry, shape, depth) and np.isfinite(op.weights).all():
        by_tiles(op, builder, Operands(x, outs, added, end, geometry))
    else:
        weights = op.weights.reshape(groups, filters, depth, geometry.kernel_height, geometry.kernel_width)
        if few:
            around = padded(builder, x, outs[0], geometry)
            if around is None:
                return None
            x = around
            weights, geometry = taps_as_channels(weights, geometry)
        _multiplied(op, builder, "taps", weights, Operands(x, outs, added, end, geometry))
    return alone([out[:, :, 0] if data.ndim == 3 else out for out in outs])


def _multiplied(
    op: FusedConvolution | FusedTransposedConvolution, builder: Builder, key: Hashable, weights: Array, given: Operands
) -> None:
    """A convolution with weights [G, O, I, KH, KW], which have a key among those of the operation."""
    bias = None if op.bias is None else op.bias.reshape(-1)
    multiply(builder, of_windows((key, id(op.weights)), weights, weights), given, bias, 0)


@lowers(FusedTransposedConvolution)
def spread(op: FusedTransposedConvolution, builder: Builder, data: Operand, summand: Operand | None = None) -> Any:
    """A transposed convolution: for each remainder of a position by the stride, one with some of the taps.

    None for weights that are not finite: at the border they meet zeros, which the layer does not have.
    """
    end = epilogue(op.activation)
    if end is None or not is_f32(summand, op.weights) or not np.isfinite(op.weights).all():
        return None
    windows = op.source.windows(2)
    begins, sizes = op.source.place(data.shape[2:], op.weights.shape[2:], op.wanted)
    if windows.dilations != (1, 1) or any(
        taps < stride for taps, stride in zip(op.weights.shape[2:], windows.strides, strict=True)
    ):
        return None
    given = operand(op, builder, data)
    x = None if given is None else channels_last(builder, given)
    added = None if summand is None else channels_last(builder, summand)
    if x is None or (summand is not None and added is None):
        return None
    outs = [builder.images((data.shape[0], op.weights.shape[1], *sizes), dtype) for dtype in types(op)]
    high, wide = windows.strides
    for y, x_place in itertools.product(range(min(high, sizes[0])), range(min(wide, sizes[1]))):
        first, second = (y + begins[0]) % high, (x_place + begins[1]) % wide
        taps = op.weights[:, :, first::high, second::wide][:, :, ::-1, ::-1].swapaxes(0, 1)
        geometry = Geometry(
            taps.shape[2],
            taps.shape[3],
            *(1, 1, 1, 1),
            taps.shape[2] - 1 - (y + begins[0]) // high,
            taps.shape[3] - 1 - (x_place + begins[1]) // wide,
        )
        here = (slice(None), slice(None), slice(y, None, high), slice(x_place, None, wide))
        part = None if added is None else added[here]
        parts = [out[here] for out in outs]
        _multiplied(op, builder, (first, second), taps[np.newaxis], Operands(x, parts, part, end, geometry))
    return alone(outs)
