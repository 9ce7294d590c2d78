"""Convolutions and pooling: images whose channels are neighbours in memory."""

from __future__ import annotations

import itertools
import math
from typing import Final, NamedTuple

import numpy as np

from irrun.kernels.chain import Call
from irrun.kernels.chain import Chain as Functions
from irrun.kernels.compiled.images import Windows, average_pool, depthwise, max_pool
from irrun.kernels.compiled.native import Kernel
from irrun.kernels.compiled.product import Product, pack, padded_columns, product, tiling
from irrun.kernels.compiled.winograd import (
    TILE,
    TransformData,
    TransformResult,
    transform_data,
    transform_result,
)
from irrun.kernels.transposing import taps_first
from irrun.kernels.winograd import transform_weights
from irrun.ops.convolution.spatial import Placement
from irrun.ops.convolution.spatial import Windows as Spatial
from irrun.ops.fused.fused_convolution import FusedConvolution
from irrun.ops.fused.fused_max_pool import FusedMaxPool
from irrun.ops.pooling.avg_pool import AvgPoolV1, AvgPoolV14, AvgPoolV16, averaging_windows
from irrun.runtime.lowering.builder import Builder, is_f32, lowers, share
from irrun.runtime.lowering.copies import copied
from irrun.runtime.lowering.elementwise import End, chained, epilogue
from irrun.tensor import Array


def channels_last(builder: Builder, x: Array) -> Array | None:
    """[N, C, H, W] whose channels are neighbours: itself or a copy."""
    if x.strides[1] == 4 or x.shape[1] == 1:
        return x
    out = builder.images(x.shape)
    return out if copied(builder, x, out) else None


def _flat(x: Array | None) -> Array | None:
    """[N, C, W] as [N, C, 1, W]."""
    return x[:, :, np.newaxis] if x is not None and x.ndim == 3 else x


class _Geometry(NamedTuple):
    """Where windows lie over images, as the arguments of kernels have it."""

    kernel_height: int
    kernel_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    begin_height: int
    begin_width: int


def _geometry(kernel: tuple[int, ...], windows: Spatial, placed: Placement) -> _Geometry:
    one = (1,) * (2 - len(kernel))
    none = (0,) * (2 - len(kernel))
    return _Geometry(*(*one, *kernel), *(*one, *windows.strides), *(*one, *windows.dilations), *(*none, *placed.begins))


def _strides(name: str, x: Array | None) -> dict[str, int]:
    """Strides of images, rows and pixels."""
    values = (0, 0, 0) if x is None else (x.strides[0], x.strides[2], x.strides[3])
    return dict(zip((f"{name}_image", f"{name}_row", f"{name}_pixel"), values, strict=True))


@lowers(FusedConvolution)
def convolved(op: FusedConvolution, builder: Builder, data: Array, summand: Array | None = None) -> Array | None:
    """A convolution as a product, or channel by channel."""
    end = epilogue(op.activation)
    groups, filters, depth, *kernel = op.weights.shape
    if end is None or not is_f32(data, summand, op.weights) or data.ndim not in (3, 4):
        return None
    windows = op.source.windows(data.ndim - 2)
    placed = windows.place(data.shape[2:], tuple(kernel))
    if any(pad < 0 for pad in (*placed.begins, *placed.ends)) or 0 in placed.counts:
        return None
    geometry = _geometry(tuple(kernel), windows, placed)
    images, added = _flat(data), _flat(summand)
    assert images is not None
    x = channels_last(builder, images)
    added = None if added is None else channels_last(builder, added)
    if x is None or (summand is not None and added is None):
        return None
    if op.least is not None:
        raised = builder.images(x.shape)
        functions = Functions((Call(np.maximum, (0, 1), 2),), 2, 1)
        if not chained(builder, functions, [x, op.least.reshape(-1, 1, 1)], raised):
            return None
        x = raised
    out = builder.images((data.shape[0], groups * filters, *(1,) * (4 - data.ndim), *placed.counts))
    if groups > 1 and depth == 1 and filters == 1:
        _depthwise(op, builder, x, added, out, geometry, end)
    elif groups == 1 and not op.accurate and _is_worth_tiles(geometry, out.shape, depth):
        _by_tiles(op, builder, x, added, out, geometry, end)
    else:
        for group in range(groups):
            _product(
                op,
                builder,
                x[:, group * depth : (group + 1) * depth],
                None if added is None else added[:, group * filters : (group + 1) * filters],
                out[:, group * filters : (group + 1) * filters],
                geometry,
                end,
                group,
            )
    return out[:, :, 0] if data.ndim == 3 else out


def _product(
    op: FusedConvolution,
    builder: Builder,
    x: Array,
    summand: Array | None,
    out: Array,
    geometry: _Geometry,
    end: End,
    group: int,
) -> None:
    weights = op.weights[group]
    filters, depth = weights.shape[:2]
    taps = math.prod(weights.shape[2:])
    points = out.shape[0] * out.shape[2] * out.shape[3]
    cut = tiling(points, taps, depth, filters)
    bias = None if op.bias is None else op.bias.reshape(-1)[group * filters : (group + 1) * filters]
    panels = builder.packed(
        (id(op), group), op, cut.vectors, lambda: pack(taps_first(weights).reshape(taps * depth, filters), cut.vectors)
    )
    builder.call(
        product,
        Product(
            x=builder.address(x),
            panels=panels,
            bias=0 if bias is None else builder.constant(bias),
            out=builder.address(out),
            summand=0 if summand is None else builder.address(summand),
            zeros=builder.constant(np.zeros(depth, np.float32)),
            images=out.shape[0],
            rows=out.shape[2],
            columns=out.shape[3],
            height=x.shape[2],
            width=x.shape[3],
            depth=depth,
            filters=filters,
            **_strides("x", x),
            **_strides("out", out),
            **_strides("summand", summand),
            **geometry._asdict(),
            tile_rows=cut.rows,
            vectors=cut.vectors,
            points=cut.points,
            groups=cut.groups,
            **end._asdict(),
        ),
        cut.tasks,
        cut.workspace,
    )


def _is_worth_tiles(geometry: _Geometry, shape: tuple[int, ...], depth: int) -> bool:
    """Whether a convolution takes less time by tiles, whose weights are four times as large."""
    batch, filters, height, width = shape
    tiles = batch * -(-height // TILE) * -(-width // TILE)
    used = batch * height * width / (tiles * TILE * TILE)
    plain = geometry[:6] == (3, 3, 1, 1, 1, 1)
    return plain and min(filters, depth) >= 32 and tiles >= max(32, filters // 24) and used > 0.6


def _by_tiles(
    op: FusedConvolution,
    builder: Builder,
    x: Array,
    summand: Array | None,
    out: Array,
    geometry: _Geometry,
    end: End,
) -> None:
    """Some tiles after the others, so that what is between two calls stays in the caches."""
    batch, filters, height, width = out.shape
    depth = x.shape[1]
    across = -(-width // TILE)
    whole = -(-height // TILE) * across
    parts = max(1, min(round(whole * 36 * (depth + filters) / _TILED), whole // _LEAST_TILES))
    most = -(-whole // parts)
    data, products = builder.empty((36, most, depth)), builder.empty((36, most, filters))
    zeros = builder.constant(np.zeros(depth, np.float32))
    bias = 0 if op.bias is None else builder.constant(op.bias.reshape(-1))
    cut = tiling(most, 1, depth, filters, 36)
    panels = builder.packed(
        (id(op), "tiles"),
        op,
        cut.vectors,
        lambda: np.concatenate([pack(matrix, cut.vectors) for matrix in transform_weights(op.weights[0])]),
    )
    function, alpha, beta = (0, end.low, end.high) if end.function < 0 else (end.function, end.alpha, end.beta)
    for image, first in itertools.product(range(batch), range(0, whole, most)):
        tiles = min(most, whole - first)
        each, tasks = share(tiles, 10.0 * tiles * depth)
        source, target = x[image : image + 1], out[image : image + 1]
        added = None if summand is None else summand[image : image + 1]
        builder.call(
            transform_data,
            TransformData(
                x=builder.address(source),
                out=builder.address(data),
                zeros=zeros,
                height=x.shape[2],
                width=x.shape[3],
                channels=depth,
                x_row=x.strides[2],
                x_pixel=x.strides[3],
                begin_height=geometry.begin_height,
                begin_width=geometry.begin_width,
                first=first,
                tiles=tiles,
                across=across,
                tiles_per_task=each,
            ),
            tasks,
            4 * 36 * depth,
        )
        cut = tiling(tiles, 1, depth, filters, 36)._replace(vectors=cut.vectors)
        builder.call(
            product,
            Product(
                x=builder.address(data),
                panels=panels,
                bias=0,
                out=builder.address(products),
                summand=0,
                zeros=0,
                images=1,
                rows=1,
                columns=tiles,
                height=1,
                width=tiles,
                depth=depth,
                filters=filters,
                **dict.fromkeys(_NO_STRIDES, 0),
                x_pixel=4 * depth,
                out_pixel=4 * filters,
                **_Geometry(1, 1, 1, 1, 1, 1, 0, 0)._asdict(),
                tile_rows=cut.rows,
                vectors=cut.vectors,
                points=cut.points,
                groups=cut.groups,
                **End()._asdict(),
                tasks=cut.tasks,
                next_x=4 * tiles * depth,
                next_panels=4 * depth * padded_columns(filters),
                next_out=4 * tiles * filters,
            ),
            36 * cut.tasks,
            cut.workspace,
        )
        each, tasks = share(tiles, 8.0 * tiles * filters)
        builder.call(
            transform_result,
            TransformResult(
                products=builder.address(products),
                bias=bias,
                summand=0 if added is None else builder.address(added),
                out=builder.address(target),
                height=height,
                width=width,
                channels=filters,
                out_row=out.strides[2],
                out_pixel=out.strides[3],
                summand_row=0 if added is None else added.strides[2],
                summand_pixel=0 if added is None else added.strides[3],
                first=first,
                tiles=tiles,
                across=across,
                tiles_per_task=each,
                function=function if end != End() else -1,
                alpha=alpha,
                beta=beta,
            ),
            tasks,
            4 * 28 * filters,
        )


_TILED: Final = 1 << 19
"""Elements of transformed data and of products that are worked on at a time."""

_LEAST_TILES: Final = 64
"""Tiles that are worked on at a time at least: for fewer, the weights are read too often."""

_NO_STRIDES: Final = (
    *("x_image", "x_row", "out_image", "out_row"),
    *("summand_image", "summand_row", "summand_pixel"),
)


def _depthwise(
    op: FusedConvolution,
    builder: Builder,
    x: Array,
    summand: Array | None,
    out: Array,
    geometry: _Geometry,
    end: End,
) -> None:
    channels = out.shape[1]
    taps = op.weights.reshape(channels, -1)
    rows = out.shape[0] * out.shape[2]
    each, tasks = share(rows, 0.12 * out.size * taps.shape[1])
    function, alpha, beta = (0, end.low, end.high) if end.function < 0 else (end.function, end.alpha, end.beta)
    builder.call(
        depthwise,
        _windows(x, out, geometry, each)._replace(
            weights=builder.constant(taps.T),
            bias=0 if op.bias is None else builder.constant(op.bias.reshape(-1)),
            summand=0 if summand is None else builder.address(summand),
            **_strides("summand", summand),
            function=function if end != End() else -1,
            alpha=alpha,
            beta=beta,
        ),
        tasks,
    )


def _windows(x: Array, out: Array, geometry: _Geometry, each: int) -> Windows:
    return Windows(
        x=x.ctypes.data,
        out=out.ctypes.data,
        images=out.shape[0],
        rows=out.shape[2],
        columns=out.shape[3],
        height=x.shape[2],
        width=x.shape[3],
        channels=out.shape[1],
        **_strides("x", x),
        **_strides("out", out),
        **geometry._asdict(),
        rows_per_task=each,
    )


@lowers(FusedMaxPool)
def max_pooled(op: FusedMaxPool, builder: Builder, data: Array) -> Array | None:
    """The largest element of each window."""
    return _pooled(builder, data, op.kernel, op.windows, max_pool, 0)


@lowers(AvgPoolV1, AvgPoolV14, AvgPoolV16)
def average_pooled(op: AvgPoolV1 | AvgPoolV14 | AvgPoolV16, builder: Builder, data: Array) -> Array | None:
    """The mean of each window."""
    windows = averaging_windows(op)
    placed = windows.place(data.shape[2:], op.kernel)
    padded = any((*placed.begins, *placed.ends))
    least = math.prod(op.kernel) if padded and not op.exclude_pad else 0
    return _pooled(builder, data, op.kernel, windows, average_pool, least)


def _pooled(
    builder: Builder, data: Array, kernel: tuple[int, ...], windows: Spatial, function: Kernel, least: int
) -> Array | None:
    if not is_f32(data) or data.ndim not in (3, 4):
        return None
    placed = windows.place(data.shape[2:], kernel)
    images = data[:, :, np.newaxis] if data.ndim == 3 else data
    x = channels_last(builder, images)
    if x is None or 0 in placed.counts:
        return None
    builder.address(x)
    out = builder.images((*data.shape[:2], *(1,) * (4 - data.ndim), *placed.counts))
    each, tasks = share(out.shape[0] * out.shape[2], 0.1 * out.size * math.prod(kernel))
    arguments = _windows(x, out, _geometry(tuple(kernel), windows, placed), each)._replace(least=least)
    builder.call(function, arguments, tasks)
    return out[:, :, 0] if data.ndim == 3 else out
