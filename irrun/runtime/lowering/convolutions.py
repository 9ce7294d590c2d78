"""Convolutions as products: with the pixels that each tap meets, or by tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.ops.fused.fused_convolution import FEW_CHANNELS, FusedConvolution
from irrun.runtime.lowering.builder import F32, Builder, is_f32, lowers
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.conversions import operand, types
from irrun.runtime.lowering.elementwise import epilogue
from irrun.runtime.lowering.geometry import as_images, channels_last, placed, without_padding
from irrun.runtime.lowering.images import channel_by_channel
from irrun.runtime.lowering.padding import padded, taps_as_channels
from irrun.runtime.lowering.products import Operands, alone, multiply, of_windows
from irrun.runtime.lowering.winograd import by_tiles, is_worth_tiles
from irrun.runtime.view import Operand


@lowers(FusedConvolution)
def lower_convolution(op: FusedConvolution, builder: Builder, data: Operand, summand: Operand | None = None) -> Any:
    """A convolution as a product, or channel by channel.

    Channel by channel, taps that meet padding are omitted: None if they would yield NaN.
    """
    end = epilogue(op.activation)
    groups, filters, depth, *kernel = op.weights.shape
    if end is None or not is_f32(summand, op.weights) or data.ndim not in (3, 4, 5):
        return None
    found = placed(op.source.windows(data.ndim - 2), kernel, data)
    if found is None:
        return None
    if op.is_depthwise and not np.isfinite(op.weights).all():
        return None
    geometry, weights = without_padding(found[0], op.weights, data, found[1])
    counts = found[1]
    is_whole = weights.shape == op.weights.shape
    if not is_whole and not np.isfinite(op.weights).all():
        return None
    operands = operand(op, builder, data)
    if operands is None:
        return None
    data = operands
    few = groups == 1 and depth < FEW_CHANNELS and geometry.kernel_width > 1 and geometry.dilation_width == 1
    few = few and data.dtype == F32
    x = as_images(data) if few and op.least is None else channels_last(builder, as_images(data))
    added = None if summand is None else channels_last(builder, as_images(summand))
    if x is None or (summand is not None and added is None):
        return None
    if op.least is not None:
        raised = builder.images(x.shape)
        e = Expression(builder)
        e.write(e("maximum", e.read(x), e.read(op.least.reshape(-1, 1, 1))), raised)
        x = raised
    shape = (data.shape[0], groups * filters, *counts)
    outs = [builder.images(shape, dtype) for dtype in types(op)]
    if op.is_depthwise:
        channel_by_channel(builder, weights[:, 0, 0], op.bias, Operands(x, outs, added, end, geometry))
    elif (
        is_whole
        and groups == 1
        and not op.accurate
        and is_worth_tiles(geometry, shape, depth)
        and np.isfinite(op.weights).all()
    ):
        by_tiles(op, builder, Operands(x, outs, added, end, geometry))
    else:
        key = ("taps", few, *geometry[:3], *geometry[9:12])
        if few:
            around = padded(builder, x, outs[0], geometry)
            if around is None:
                return None
            x = around
            weights, geometry = taps_as_channels(weights, geometry)
        bias = None if op.bias is None else op.bias.reshape(-1)
        given = Operands(x, outs, added, end, geometry)
        multiply(builder, of_windows(key, weights, op.weights), given, bias, 0)
    return alone([out[:, :, 0] if data.ndim == 3 else out for out in outs])
