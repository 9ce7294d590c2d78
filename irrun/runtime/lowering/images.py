"""Pooling, depthwise convolution, and what else slides over images channel by channel."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

import numpy as np

from irrun.ops._declared.convolution.spatial import Windows as Spatial
from irrun.ops._declared.fused.fused_functions import FusedMaxPool
from irrun.ops._declared.movement.pad import PadV12
from irrun.ops._declared.normalization.lrn import LRN
from irrun.ops._declared.pooling.avg_pool import AvgPoolV1, AvgPoolV14, AvgPoolV16, averaging_windows
from irrun.runtime.lowering.builder import (
    BF16_BITS,
    F32,
    U8,
    WIDEST_VECTOR,
    Builder,
    Unsupported,
    lowers,
    require_f32,
    share,
)
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.movement import lower_pad
from irrun.runtime.lowering.products import (
    Operands,
    as_images,
    emit_channels_last,
    has_channels_last,
    images_of,
    placed_epilogue,
    window_geometry,
)
from irrun.runtime.symbolic import of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.host import LANES
from irrun_kernels.images import Windows, byte_windows, points_at_once, windows, workspace_of
from irrun_kernels.native import NOWHERE, Address
from irrun_kernels.reduction import ADD, MULTIPLY, MULTIPLY_BF16, POINTS, RAISE
from irrun_kernels.tiling import padded_rows

_WIDEST: Final = WIDEST_VECTOR // 4
"""The lanes of the widest vector of any processor: pixels of constants are alike on all of them."""


def emit_depthwise(builder: Builder, filters: Array, bias: Array | None, given: Operands) -> None:
    """A convolution of which each channel has its own filter, with weights [C, *K] and a bias of C elements."""
    channels = len(filters)
    last = np.zeros(channels, F32) if bias is None else bias.reshape(-1)
    padded = padded_rows(np.vstack([filters.reshape(channels, -1).T, last]))
    weights = builder.constant(padded)
    emit_windows(
        builder,
        given,
        0,
        0.03 * len(padded) + (0 if given.epilogue.function < 0 else 0.4),
        kind=MULTIPLY_BF16 if given.x.dtype == BF16_BITS else MULTIPLY,
        weights=weights,
        weights_row=padded.strides[0],
        bias=weights.beyond(padded[:-1].nbytes),
    )


def emit_windows(
    builder: Builder, given: Operands, outside: float, nanoseconds: float, bias: Address = NOWHERE, **others: Any
) -> None:
    """Reduce windows, which takes some time for each element of the result; pixels ``outside`` have this value."""
    x, out, has_function = given.x, given.outs[0], given.epilogue.function >= 0
    channels, taps = out.shape[1], math.prod(given.geometry.taps)
    points = out.size // channels
    each, tasks, parts = _cut(points, 1 if has_function else -(-channels // LANES), nanoseconds * channels)
    arguments = Windows(
        x=images_of(builder, x),
        geometry=given.windows,
        channels=channels,
        zeros=builder.constant(np.full(-(-channels // _WIDEST) * _WIDEST, outside), x.dtype),
        points_per_task=each,
        at_once=points_at_once(taps),
        parts=parts,
        epilogue=placed_epilogue(builder, given, 4 * channels, bias),
        **others,
    )
    row = 4 * channels if has_function and arguments.epilogue.out.start == NOWHERE else 0
    builder.call(byte_windows if x.dtype == U8 else windows, arguments, tasks * parts, workspace_of(taps, row))


@of_sizes
def _cut(points: int, vectors: int, nanoseconds: float) -> tuple[int, int, int]:
    """The points of a task, the tasks of all points, and the parts into which the channels of points are cut."""
    _, wanted = share(points * vectors, nanoseconds * points)
    tasks = max(1, min(wanted, points // POINTS))
    each = -(-points // tasks // POINTS) * POINTS if tasks > 1 else points
    tasks = -(-points // each)
    return each, tasks, max(1, min(vectors, wanted // tasks))


@lowers(FusedMaxPool)
def lower_max_pool(op: FusedMaxPool, builder: Builder, data: Operand) -> View:
    """The largest element of each window."""
    return _emit_pool(builder, data, op.kernel, op.windows, RAISE, 0)


@lowers(AvgPoolV1, AvgPoolV14, AvgPoolV16)
def lower_avg_pool(op: AvgPoolV1 | AvgPoolV14 | AvgPoolV16, builder: Builder, data: Operand) -> View:
    """The mean of each window."""
    spatial = averaging_windows(op)
    begins, ends, _ = spatial.place(data.shape[2:], op.kernel)
    padded = any((*begins, *ends))
    least = math.prod(op.kernel) if padded and not op.exclude_pad else 0
    return _emit_pool(builder, data, op.kernel, spatial, ADD, least)


def _emit_pool(
    builder: Builder, data: Operand, kernel: tuple[int, ...], spatial: Spatial, kind: int, least: int
) -> View:
    is_bytes = data.dtype == U8 and kind == RAISE
    if not is_bytes:
        require_f32(data)
    if not data.size or data.ndim not in (3, 4, 5):
        raise Unsupported(f"images of {data.ndim} axes, or without elements")
    geometry, counts = window_geometry(spatial, kernel, data)
    if is_bytes and not has_channels_last(as_images(data)):
        raise Unsupported("levels whose channels are not neighbours in memory")
    x = emit_channels_last(builder, as_images(data))
    out = builder.result_images((*data.shape[:2], *counts), x.dtype)
    cost = (0.01 if is_bytes else 0.03) * math.prod(kernel)
    outside = -math.inf if kind == RAISE and not is_bytes else 0
    emit_windows(builder, Operands(x, [out], geometry=geometry), outside, cost, kind=kind, least=least)
    return out[:, :, 0] if data.ndim == 3 else out


@lowers(LRN)
def lower_lrn(op: LRN, builder: Builder, data: Operand, axes: Array) -> View:
    """Neighbours along the channels, with the usual exponent."""
    if data.ndim != 4 or not builder.is_constant(axes) or list(axes.reshape(-1) % 4) != [1]:
        raise Unsupported("axes other than the channels of images")
    require_f32(data)
    if op.beta != 0.75:
        raise Unsupported(f"exponent {op.beta:g}, not 0.75")
    channels, reach = data.shape[1], op.size // 2
    pads = np.array([0, reach, 0, 0])
    padded = lower_pad(PadV12(pad_mode="constant"), builder, data, pads, pads)
    e = Expression(builder)
    near = [e.read(padded[:, shift : shift + channels]) for shift in range(2 * reach + 1)]
    total = functools.reduce(functools.partial(e, "add"), (e("multiply", x, x) for x in near))
    root = e("sqrt", e("add", e("multiply", total, e.number(op.alpha / op.size, "f")), e.number(op.bias, "f")))
    return e.emit(e("divide", near[reach], e("multiply", root, e("sqrt", root))), F32)
