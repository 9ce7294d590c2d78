"""Pooling, depthwise convolution, and what else slides over images channel by channel."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.compiled.byte_windows import ByteWindows, byte_windows
from irrun.kernels.compiled.functions import RUN
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.images import Response, Windows, local_response, windows
from irrun.kernels.compiled.reduction import ADD, MULTIPLY, MULTIPLY_HALVES, RAISE
from irrun.kernels.compiled.tiling import padded_columns
from irrun.ops.convolution.spatial import Windows as Spatial
from irrun.ops.fused.fused_convolution import FusedConvolution
from irrun.ops.fused.fused_max_pool import FusedMaxPool
from irrun.ops.normalization.lrn import LRN
from irrun.ops.pooling.avg_pool import AvgPoolV1, AvgPoolV14, AvgPoolV16, averaging_windows
from irrun.ops.reduction.reduce_mean import ReduceMean
from irrun.runtime.lowering.builder import F32, Builder, is_f32, lowers, share
from irrun.runtime.lowering.bytes import U8
from irrun.runtime.lowering.elementwise import End
from irrun.runtime.lowering.geometry import Geometry, as_images, channels_last, geometry_of, image_strides
from irrun.runtime.lowering.halves import HALVES
from irrun.tensor import Array


def channel_by_channel(
    op: FusedConvolution,
    builder: Builder,
    x: Array,
    summand: Array | None,
    outs: Sequence[Array],
    geometry: Geometry,
    end: End,
) -> None:
    """A convolution of which each channel has its own filter; ``outs`` are f32, bits of bf16, or both."""
    out, rounded = (next((one for one in outs if one.dtype == type), None) for type in (F32, HALVES))
    images, channels, rows, columns = outs[0].shape
    padded = np.zeros((1 + geometry.kernel_height * geometry.kernel_width, padded_columns(channels)), np.float32)
    padded[:-1, :channels] = op.weights.reshape(channels, -1).T
    padded[-1, :channels] = 0 if op.bias is None else op.bias.reshape(-1)
    weights = builder.constant(padded)
    arguments = _windows(MULTIPLY_HALVES if x.dtype == HALVES else MULTIPLY, x, outs[0], geometry)._replace(
        x=builder.address(x),
        out=0 if out is None else builder.address(out),
        **image_strides("out", out),
        rounded=0 if rounded is None else builder.address(rounded),
        **image_strides("rounded", rounded),
        weights=weights,
        weights_row=padded.strides[0],
        bias=weights + padded[:-1].nbytes,
        summand=0 if summand is None else builder.address(summand),
        **image_strides("summand", summand),
        **end._asdict(),
    )
    row = 0
    if out is None and end.function >= 0:
        row = 4 * columns * channels
        arguments = arguments._replace(out_pixel=4 * channels)
    cost = 0.03 * len(padded) + (0 if end.function < 0 else 0.4)
    _call(builder, arguments, cost * images * rows * columns * channels, row)


def _windows(kind: int, x: Array, out: Array, geometry: Geometry) -> Windows:
    return Windows(
        kind=kind,
        x=x.ctypes.data,
        out=out.ctypes.data,
        images=out.shape[0],
        rows=out.shape[2],
        columns=out.shape[3],
        height=x.shape[2],
        width=x.shape[3],
        channels=out.shape[1],
        **image_strides("x", x),
        **image_strides("out", out),
        **geometry._asdict(),
        rows_per_task=1,
    )


def _call(builder: Builder, arguments: Windows, nanoseconds: float, row: int = 0) -> None:
    """Add a call, which needs workspace for a row of ``row`` bytes."""
    each, tasks = share(arguments.images * arguments.rows, nanoseconds)
    _, parts = share(-(-arguments.channels // LANES), nanoseconds if tasks == 1 and arguments.function < 0 else 0)
    builder.call(windows, arguments._replace(rows_per_task=each, parts=parts), tasks * parts, 4 * RUN + row)


@lowers(FusedMaxPool)
def max_pooled(op: FusedMaxPool, builder: Builder, data: Array) -> Array | None:
    """The largest element of each window."""
    if data.dtype == U8:
        return _largest_bytes(op, builder, data)
    return _pooled(builder, data, op.kernel, op.windows, RAISE, 0)


def _largest_bytes(op: FusedMaxPool, builder: Builder, data: Array) -> Array | None:
    if data.ndim not in (3, 4) or not data.size:
        return None
    placed = op.windows.place(data.shape[2:], op.kernel)
    x = as_images(data)
    if 0 in placed.counts or (x.strides[1] != 1 and x.shape[1] != 1):
        return None
    out = builder.images((*data.shape[:2], *(1,) * (4 - data.ndim), *placed.counts), U8)
    each, tasks = share(out.shape[0] * out.shape[2], 0.01 * out.size * math.prod(op.kernel))
    arguments = ByteWindows(
        x=builder.address(x),
        codes=builder.address(out),
        images=out.shape[0],
        rows=out.shape[2],
        columns=out.shape[3],
        height=x.shape[2],
        width=x.shape[3],
        channels=out.shape[1],
        **image_strides("x", x),
        **image_strides("codes", out),
        **geometry_of(tuple(op.kernel), op.windows, placed)._asdict(),
        rows_per_task=each,
    )
    builder.call(byte_windows, arguments, tasks)
    return out[:, :, 0] if data.ndim == 3 else out


@lowers(AvgPoolV1, AvgPoolV14, AvgPoolV16)
def average_pooled(op: AvgPoolV1 | AvgPoolV14 | AvgPoolV16, builder: Builder, data: Array) -> Array | None:
    """The mean of each window."""
    spatial = averaging_windows(op)
    placed = spatial.place(data.shape[2:], op.kernel)
    padded = any((*placed.begins, *placed.ends))
    least = math.prod(op.kernel) if padded and not op.exclude_pad else 0
    return _pooled(builder, data, op.kernel, spatial, ADD, least)


def _pooled(
    builder: Builder, data: Array, kernel: tuple[int, ...], spatial: Spatial, kind: int, least: int
) -> Array | None:
    if not is_f32(data) or data.ndim not in (3, 4):
        return None
    placed = spatial.place(data.shape[2:], kernel)
    x = channels_last(builder, as_images(data))
    if x is None or 0 in placed.counts:
        return None
    builder.address(x)
    out = builder.images((*data.shape[:2], *(1,) * (4 - data.ndim), *placed.counts))
    arguments = _windows(kind, x, out, geometry_of(tuple(kernel), spatial, placed))._replace(least=least)
    _call(builder, arguments, 0.03 * out.size * math.prod(kernel))
    return out[:, :, 0] if data.ndim == 3 else out


@lowers(ReduceMean)
def averaged(op: ReduceMean, builder: Builder, data: Array, axes: Array) -> Array | None:
    """The mean of each channel: over images, or over the rows of matrices."""
    if not builder.is_constant(axes) or not is_f32(data):
        return None
    along = sorted(axes.reshape(-1) % max(data.ndim, 1))
    if data.ndim == 4 and along == [2, 3]:
        images = data
    elif data.ndim == 3 and along == [1]:
        images = data.swapaxes(1, 2)[:, :, None]
    else:
        return None
    ones, none = (1, 1), (0, 0)
    whole = _pooled(builder, images, images.shape[2:], Spatial(ones, ones, none, none), ADD, 0)
    if whole is None:
        return None
    means = whole[:, :, 0, 0]
    return np.expand_dims(means, [int(axis) for axis in along]) if op.keep_dims else means


@lowers(LRN)
def responded(op: LRN, builder: Builder, data: Array, axes: Array) -> Array | None:
    """Neighbours along the channels, with the usual exponent."""
    if data.ndim != 4 or not builder.is_constant(axes) or list(axes.reshape(-1) % 4) != [1] or not is_f32(data):
        return None
    x = channels_last(builder, data)
    if x is None or op.beta != 0.75 or not np.moveaxis(x, 1, -1).flags.c_contiguous:
        return None
    out = builder.images(data.shape)
    channels, reach = data.shape[1], op.size // 2
    pixels = data.size // channels
    each, tasks = share(pixels, 1.0 * data.size)
    builder.call(
        local_response,
        Response(
            x=builder.address(x),
            out=builder.address(out),
            pixels=pixels,
            channels=channels,
            reach=reach,
            pixels_per_task=each,
            factor=op.alpha / op.size,
            bias=op.bias,
        ),
        tasks,
        4 * (channels + 2 * reach),
    )
    return out
