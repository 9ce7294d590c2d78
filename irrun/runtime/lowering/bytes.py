"""Bytes: levels of f32, f32 of levels, and copies of images with more around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.kernels.compiled.integers import Dequantize, Quantize, Surround, dequantize, quantize, surround
from irrun.kernels.compiled.pixels import Geometry
from irrun.ops.fused.fused_dequantize import FusedDequantize
from irrun.ops.fused.fused_quantize import FusedQuantize
from irrun.runtime.lowering.builder import (
    F32,
    U8,
    Builder,
    empty_as,
    in_order_of,
    is_f32,
    lowers,
    merged,
    share,
)
from irrun.runtime.lowering.copies import in_rows
from irrun.runtime.lowering.geometry import images_of
from irrun.tensor import Array

_COLUMNS: Final = 4096
"""Elements that are quantised at a time."""


@lowers(FusedQuantize)
def quantized(op: FusedQuantize, builder: Builder, data: Array) -> Array | None:
    """Quantise to levels, in the memory layout of the numbers."""
    if not is_f32(data):
        return None
    found = in_rows(builder, data, _COLUMNS)
    if found is None:
        return None
    data, rows = found
    out = empty_as(builder, data, U8)
    each, tasks = share(-(-data.size // rows.columns), 0.15 * data.size)
    arguments = Quantize(
        x=builder.address(data),
        out=builder.address(out),
        elements=data.size,
        **rows._asdict(),
        rows_per_task=each,
        low=op.levels.low,
        high=op.levels.high,
        most=float(op.levels.most),
    )
    builder.call(quantize, arguments, tasks)
    return out


@lowers(FusedDequantize)
def dequantized(op: FusedDequantize, builder: Builder, codes: Array) -> Array | None:
    """Convert levels to numbers, in the memory layout of the levels."""
    if codes.dtype != U8 or not codes.size or merged(in_order_of(codes, [codes]), 1) != [(codes.size, (1,))]:
        return None
    out = empty_as(builder, codes, F32)
    each, tasks = share(codes.size, 0.1 * codes.size)
    low, high = np.float32(op.levels.output_low), np.float32(op.levels.output_high)
    arguments = Dequantize(
        codes=builder.address(codes),
        out=builder.address(out),
        elements=codes.size,
        each=each,
        low=float(low),
        span=float(high - low),
        most=float(op.levels.most),
    )
    builder.call(dequantize, arguments, tasks)
    return out


def surrounded(builder: Builder, x: Array, counts: Sequence[int] | None, geometry: Geometry, zero: int) -> Array:
    """Images with neighbouring channels, and with zeros around them as far as windows reach if there are counts."""
    batch, channels, height, width = x.shape
    top, left, high, wide = 0, 0, height, width
    if counts is not None:
        top, left = geometry.begin_height, geometry.begin_width
        spans = [(taps - 1) * step + 1 for taps, step in zip(geometry[0:2], geometry[4:6], strict=True)]
        needed = [(count - 1) * step + span for count, step, span in zip(counts, geometry[2:4], spans, strict=True)]
        high, wide = max(needed[0], top + height), max(needed[1], left + width)
    out = builder.images((batch, channels, high, wide), U8)
    each, tasks = share(batch * high, 0.7 * out.size)
    arguments = Surround(
        x=images_of(builder, x),
        out=builder.address(out),
        images=batch,
        rows=high,
        columns=wide,
        height=height,
        width=width,
        channels=channels,
        top=top,
        left=left,
        x_channel=x.strides[1],
        rows_per_task=each,
        filler=zero,
    )
    builder.call(surround, arguments, tasks)
    return out
