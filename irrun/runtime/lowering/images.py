"""Pooling, depthwise convolution, and what else slides over images channel by channel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irrun.ops.convolution.spatial import Windows as Spatial
from irrun.ops.fused.fused_convolution import FusedConvolution
from irrun.ops.fused.fused_max_pool import FusedMaxPool
from irrun.ops.normalization.lrn import LRN
from irrun.ops.pooling.avg_pool import AvgPoolV1, AvgPoolV14, AvgPoolV16, averaging_windows
from irrun.ops.reduction.reduce_mean import ReduceMean
from irrun.runtime.lowering.builder import HALVES, U8, Builder, is_f32, lowers, share
from irrun.runtime.lowering.geometry import as_images, channels_last, has_channels_last, images_of, placed
from irrun.runtime.lowering.products import Operands, outputs
from irrun.runtime.symbolic import of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.functions import RUN
from irrun_kernels.host import LANES
from irrun_kernels.images import Response, Windows, byte_windows, local_response, windows
from irrun_kernels.native import NOWHERE
from irrun_kernels.reduction import ADD, MULTIPLY, MULTIPLY_HALVES, RAISE
from irrun_kernels.tiling import padded_columns


def channel_by_channel(op: FusedConvolution, builder: Builder, given: Operands) -> None:
    """A convolution of which each channel has its own filter."""
    geometry, channels = given.geometry, given.outs[0].shape[1]
    padded = np.zeros((1 + geometry.kernel_height * geometry.kernel_width, padded_columns(channels)), np.float32)
    padded[:-1, :channels] = op.weights.reshape(channels, -1).T
    padded[-1, :channels] = 0 if op.bias is None else op.bias.reshape(-1)
    weights = builder.constant(padded)
    slide(
        builder,
        given,
        0.03 * len(padded) + (0 if given.end.function < 0 else 0.4),
        kind=MULTIPLY_HALVES if given.x.dtype == HALVES else MULTIPLY,
        weights=weights,
        weights_row=padded.strides[0],
        bias=weights.beyond(padded[:-1].nbytes),
    )


def slide(builder: Builder, given: Operands, nanoseconds: float, **others: Any) -> None:
    """Reduce windows, which takes some time for each element of the result."""
    out, has_function = given.outs[0], given.end.function >= 0
    batch, channels, rows, columns = out.shape
    each, tasks = share(batch * rows, nanoseconds * out.size)
    parts = _parts(-(-channels // LANES), nanoseconds * out.size, tasks) if not has_function else 1
    arguments = Windows(
        x=images_of(builder, given.x),
        geometry=given.windows,
        channels=channels,
        rows_per_task=each,
        parts=parts,
        **outputs(builder, given, 4 * channels),
        **others,
    )
    row = 4 * columns * channels if has_function and arguments.out.start == NOWHERE else 0
    builder.call(byte_windows if given.x.dtype == U8 else windows, arguments, tasks * parts, 4 * RUN + row)


@of_sizes
def _parts(vectors: int, nanoseconds: float, tasks: int) -> int:
    """The parts into which the channels of the rows of a single task are cut."""
    _, parts = share(vectors, nanoseconds if tasks == 1 else 0)
    return int(parts)


@lowers(FusedMaxPool)
def max_pooled(op: FusedMaxPool, builder: Builder, data: Operand) -> View | None:
    """The largest element of each window."""
    return _pooled(builder, data, op.kernel, op.windows, RAISE, 0)


@lowers(AvgPoolV1, AvgPoolV14, AvgPoolV16)
def average_pooled(op: AvgPoolV1 | AvgPoolV14 | AvgPoolV16, builder: Builder, data: Operand) -> View | None:
    """The mean of each window."""
    spatial = averaging_windows(op)
    begins, ends, _ = spatial.place(data.shape[2:], op.kernel)
    padded = any((*begins, *ends))
    least = math.prod(op.kernel) if padded and not op.exclude_pad else 0
    return _pooled(builder, data, op.kernel, spatial, ADD, least)


def _pooled(
    builder: Builder, data: Operand, kernel: tuple[int, ...], spatial: Spatial, kind: int, least: int
) -> View | None:
    is_bytes = data.dtype == U8 and kind == RAISE
    if not (is_f32(data) or is_bytes) or not data.size or data.ndim not in (3, 4):
        return None
    found = placed(spatial, kernel, data)
    if found is None or (is_bytes and not has_channels_last(as_images(data))):
        return None
    x = channels_last(builder, as_images(data))
    if x is None:
        return None
    geometry, counts = found
    out = builder.images((*data.shape[:2], *counts), x.dtype)
    cost = (0.01 if is_bytes else 0.03) * math.prod(kernel)
    slide(builder, Operands(x, [out], geometry=geometry), cost, kind=kind, least=least)
    return out[:, :, 0] if data.ndim == 3 else out


@lowers(ReduceMean)
def averaged(op: ReduceMean, builder: Builder, data: Operand, axes: Array) -> View | None:
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
    kept = tuple(None if axis in along else slice(None) for axis in range(data.ndim))
    return means[kept] if op.keep_dims else means


@lowers(LRN)
def responded(op: LRN, builder: Builder, data: Operand, axes: Array) -> View | None:
    """Neighbours along the channels, with the usual exponent."""
    if data.ndim != 4 or not builder.is_constant(axes) or list(axes.reshape(-1) % 4) != [1] or not is_f32(data):
        return None
    x = channels_last(builder, data)
    if x is None or op.beta != 0.75 or not x.moveaxis(1, -1).is_contiguous:
        return None
    out = builder.images(data.shape)
    channels, reach = data.shape[1], op.size // 2
    pixels = data.size // channels
    each, tasks = share(pixels, 1.0 * data.size)
    factor = op.alpha / op.size
    arguments = Response(builder.address(x), builder.address(out), pixels, channels, reach, each, factor, op.bias)
    builder.call(local_response, arguments, tasks, 4 * (channels + 2 * reach))
    return out
