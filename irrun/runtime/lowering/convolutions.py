"""Convolutions as products: with the pixels that each tap meets, or by tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from irrun.ops.fused.fused_convolution import FEW_CHANNELS, FusedConvolution
from irrun.runtime.lowering.builder import F32, Builder, is_f32, lowers
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.conversions import are_finite, emit_operand, types, weights_for
from irrun.runtime.lowering.elementwise import epilogue
from irrun.runtime.lowering.geometry import Part, as_images, emit_channels_last, hull, parts_of, window_geometry
from irrun.runtime.lowering.images import emit_depthwise
from irrun.runtime.lowering.padding import emit_padding, taps_as_channels
from irrun.runtime.lowering.products import Operands, alone, emit_product, form_of, of_windows
from irrun.runtime.lowering.winograd import emit_winograd, is_worth_tiles
from irrun.runtime.view import Operand
from irrun.tensor import Array


@lowers(FusedConvolution)
def lower_convolution(op: FusedConvolution, builder: Builder, data: Operand, summand: Operand | None = None) -> Any:
    """A convolution as a product, or channel by channel.

    Channel by channel, taps that meet padding are omitted: None if they would yield NaN.
    """
    end = epilogue(op.activation)
    groups, filters, depth, *kernel = op.weights.shape
    if end is None or not is_f32(summand, op.weights) or data.ndim not in (3, 4, 5):
        return None
    if data.shape[1] != groups * depth:
        return None
    found = window_geometry(op.source.windows(data.ndim - 2), kernel, data)
    if found is None:
        return None
    if op.is_depthwise and not are_finite(op):
        return None
    geometry, counts = found
    few = groups == 1 and depth < FEW_CHANNELS and geometry.kernel_width > 1 and geometry.dilation_width == 1
    parts = parts_of(geometry, as_images(data), counts, is_cut=not few and not op.is_depthwise)
    all_taps = tuple(slice(0, taps) for taps in geometry[3 - len(counts) : 3])
    is_whole = all(part.taps == all_taps for part in parts)
    if not is_whole and not are_finite(op):
        return None
    operands = emit_operand(op, builder, data)
    if operands is None:
        return None
    data, few, weights = operands, few and operands.dtype == F32, weights_for(op, operands)
    x = as_images(data) if few and op.least is None else emit_channels_last(builder, as_images(data))
    added = None if summand is None else emit_channels_last(builder, as_images(summand))
    if x is None or (summand is not None and added is None):
        return None
    if op.least is not None:
        raised = builder.images(x.shape)
        e = Expression(builder)
        e.emit_into(e("maximum", e.read(x), e.read(op.least.reshape(-1, 1, 1))), raised)
        x = raised
    shape = (data.shape[0], groups * filters, *counts)
    outs = [builder.result_images(shape, dtype) for dtype in types(op)]
    given = Operands(x, outs, added, end, geometry)
    if op.is_depthwise:
        taps = _of_taps(op.rounded_weights, parts[0].taps)
        emit_depthwise(builder, taps[:, 0, 0], op.bias, _of_part(parts[0], given))
    elif is_whole and groups == 1 and not op.accurate and is_worth_tiles(geometry, shape, depth) and are_finite(op):
        emit_winograd(op, builder, given)
    elif few:
        windows = _of_part(parts[0], given)
        around = emit_padding(builder, windows.x, outs[0], windows.geometry)
        if around is None:
            return None
        taps, geometry = taps_as_channels(_of_taps(weights, parts[0].taps), windows.geometry)
        factors = of_windows(("few", *_bounds(parts[0].taps)), taps, weights)
        emit_product(builder, factors, windows._replace(x=around, geometry=geometry), _bias(op), 0)
    else:
        shared = None if form_of(x).is_padded else hull([part.taps[0] for part in parts])
        for part in parts:
            _emit_part(op, builder, weights, part, shared or part.taps[0], _of_part(part, given))
    return alone([out[:, :, 0] if data.ndim == 3 else out for out in outs])


def _of_part(part: Part, given: Operands) -> Operands:
    """The operands of a part of the results."""
    geometry, x = part.of(given.geometry, given.x)
    here: Any = (..., *part.results)
    summand = None if given.summand is None else given.summand[here]
    outs = [out[here] for out in given.outs]
    return given._replace(x=x, outs=outs, summand=summand, geometry=geometry)


def _of_taps(weights: Array, taps: Sequence[slice]) -> Array:
    """The weights [G, O, I, *K] of some taps."""
    here: Any = (..., *taps[3 - weights.ndim :])
    found: Array = weights[here]
    return found


def _emit_part(
    op: FusedConvolution, builder: Builder, weights: Array, part: Part, rows: slice, given: Operands
) -> None:
    """Multiply a part of the pixels; all parts with the same taps along other axes share the weights of ``rows``."""
    taps = (rows, *part.taps[1:])
    row = math.prod(each.stop - each.start for each in taps[1:])
    factors = of_windows(("taps", *_bounds(taps)), _of_taps(weights, taps), weights)
    before, after = (part.taps[0].start - rows.start) * row, (rows.stop - part.taps[0].stop) * row
    emit_product(builder, factors._replace(before=before, after=after), given, _bias(op), 0)


def _bounds(taps: Sequence[slice]) -> tuple[tuple[int, int], ...]:
    return tuple((each.start, each.stop) for each in taps)


def _bias(op: FusedConvolution) -> Array | None:
    return None if op.bias is None else op.bias.reshape(-1)
