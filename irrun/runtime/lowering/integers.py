"""Products and convolutions of bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.compiled.amx_check import multiplies_bytes
from irrun.kernels.compiled.backends import HAS_BYTE_TILES, OF_BYTES
from irrun.kernels.compiled.byte_windows import ByteWindows, byte_windows
from irrun.kernels.compiled.bytes import Numbers
from irrun.kernels.compiled.functions import RUN
from irrun.kernels.compiled.integers import IntegerProduct, integer_product
from irrun.kernels.compiled.tiling import Tiling, pack, padded_columns, padded_depth, tiling
from irrun.kernels.quantize import Levels
from irrun.ops.fused.fused_convolution import FEW_CHANNELS
from irrun.ops.fused.fused_integer_convolution import FusedIntegerConvolution
from irrun.ops.fused.fused_integer_matmul import FusedIntegerMatMul
from irrun.ops.fused.fused_integer_product import FusedIntegerProduct
from irrun.runtime.lowering.builder import Builder, lowers, share
from irrun.runtime.lowering.bytes import U8, surrounded
from irrun.runtime.lowering.elementwise import End, epilogue
from irrun.runtime.lowering.geometry import Geometry, as_images, channels_last, geometry_of, image_strides
from irrun.tensor import Array

_WORD: Final = 4
"""Bytes that are multiplied at a time."""


@lowers(FusedIntegerMatMul)
def multiplied(op: FusedIntegerMatMul, builder: Builder, codes: Array, summand: Array | None = None) -> Any:
    """A product of rows of bytes."""
    end = epilogue(op.end.activation)
    depth, filters = op.weights.shape
    if end is None or not _is_ready(op, codes, summand) or not codes.flags.c_contiguous:
        return None
    rows = codes.size // depth
    x = codes.reshape(1, 1, rows, depth).transpose(0, 3, 1, 2)
    added = None if summand is None else _rows_of(summand, rows, filters)
    if summand is not None and added is None:
        return None
    made = [builder.empty((*codes.shape[:-1], filters), dtype) for dtype in _types(op)]
    outs = [one for array in made if (one := _rows_of(array, rows, filters)) is not None]
    geometry = Geometry(1, 1, 1, 1, 1, 1, 0, 0)
    _product(op, builder, op.weights.T[None, :, :, None, None], x, added, outs, geometry, end)
    return tuple(made)


def _rows_of(array: Array, rows: int, columns: int) -> Array | None:
    """View a contiguous array as an image of one row."""
    return array.reshape(1, 1, rows, columns).transpose(0, 3, 1, 2) if array.flags.c_contiguous else None


@lowers(FusedIntegerConvolution)
def convolved(op: FusedIntegerConvolution, builder: Builder, codes: Array, summand: Array | None = None) -> Any:
    """A convolution of bytes as a product."""
    end = epilogue(op.end.activation)
    groups, filters, depth, *kernel = op.weights.shape
    if end is None or codes.ndim not in (3, 4) or not _is_ready(op, codes, summand):
        return None
    windows = op.source.windows(codes.ndim - 2)
    placed = windows.place(codes.shape[2:], tuple(kernel))
    added = None if summand is None else channels_last(builder, as_images(summand))
    if any(pad < 0 for pad in (*placed.begins, *placed.ends)) or 0 in placed.counts:
        return None
    if summand is not None and added is None:
        return None
    geometry = geometry_of(tuple(kernel), windows, placed)
    counts = (*(1,) * (4 - codes.ndim), *placed.counts)
    weights = op.weights.reshape(groups, filters, depth, geometry.kernel_height, geometry.kernel_width)
    x = as_images(codes)
    outs = [builder.images((codes.shape[0], groups * filters, *counts), dtype) for dtype in _types(op)]
    if groups > 1 and depth == 1 and filters == 1 and math.prod(kernel) <= _MOST_TAPS:
        _channel_by_channel(op, builder, x, added, outs, geometry, end)
        return tuple(out[:, :, 0] if codes.ndim == 3 else out for out in outs)
    few = groups == 1 and depth < FEW_CHANNELS and geometry.kernel_width > 1 and geometry.dilation_width == 1
    if few:
        # The taps of a row are neighbours in memory: one tap of more channels.
        x = surrounded(builder, x, counts, geometry, op.end.zero)
        weights = weights.transpose(0, 1, 4, 2, 3).reshape(1, filters, -1, geometry.kernel_height, 1)
        geometry = geometry._replace(kernel_width=1, begin_height=0, begin_width=0)
    elif x.strides[1] != 1 and x.shape[1] != 1:
        x = surrounded(builder, x, None, geometry, 0)
    _product(op, builder, weights, x, added, outs, geometry, end)
    return tuple(out[:, :, 0] if codes.ndim == 3 else out for out in outs)


def _is_ready(op: FusedIntegerProduct, codes: Array, summand: Array | None) -> bool:
    """Return whether kernels have the types of an operation."""
    added = summand is None or summand.dtype == (np.float32 if op.end.summand is None else U8)
    return codes.dtype == U8 and codes.size > 0 and op.weights.size > 0 and added


def _types(op: FusedIntegerProduct) -> list[np.dtype[Any]]:
    """The types of the outputs."""
    return [np.dtype(np.float32)] * op.end.floats + [U8] * (op.end.levels is not None)


def _channel_by_channel(
    op: FusedIntegerProduct,
    builder: Builder,
    x: Array,
    summand: Array | None,
    outs: Sequence[Array],
    geometry: Geometry,
    end: End,
) -> None:
    """A convolution of which each channel has its own filter."""
    if x.strides[1] != 1 and x.shape[1] != 1:
        x = surrounded(builder, x, None, geometry, 0)
    images, channels, rows, columns = outs[0].shape
    padded = padded_columns(channels)
    taps = op.weights.reshape(channels, -1).T.astype(np.float32)
    cost = 0.05 * len(taps) + (0.2 if end.function < 0 else 0.6)
    each, tasks = share(images * rows, cost * outs[0].size)
    arguments = ByteWindows(
        x=builder.address(x),
        images=images,
        rows=rows,
        columns=columns,
        height=x.shape[2],
        width=x.shape[3],
        channels=channels,
        **image_strides("x", x),
        **geometry._asdict(),
        rows_per_task=each,
        zero=op.end.zero,
        weights=_per_filter(builder, taps, padded),
        weights_row=4 * padded,
        factors=_per_filter(builder, op.end.factor[None], padded),
        biases=_per_filter(builder, _bias(op)[None], padded),
        numbers=_numbers(op, builder, end),
        **_function(op, end),
        **_outputs(op, builder, outs, end),
        **_array(builder, "summand", summand),
        summand_size=4 if summand is None else summand.itemsize,
    )
    builder.call(byte_windows, arguments, tasks, 4 * RUN)


_MOST_TAPS: Final = 512
"""Products of two bytes whose sums f32 holds exactly."""


def _product(
    op: FusedIntegerProduct,
    builder: Builder,
    weights: Array,
    x: Array,
    summand: Array | None,
    outs: Sequence[Array],
    geometry: Geometry,
    end: End,
) -> None:
    """A convolution with weights [G, O, I, KH, KW] of images; ``outs`` are f32, levels, or both."""
    groups, filters, depth = weights.shape[:3]
    taps, words = math.prod(weights.shape[3:]), -(-depth // _WORD)
    images, _, rows, columns = outs[0].shape
    cut = tiling(images * rows * columns, taps, words, filters, groups, has_tiles=multiplies_bytes())
    panel_depth = padded_depth(taps * words, HAS_BYTE_TILES)
    padded = padded_columns(filters)
    builder.call(
        integer_product,
        IntegerProduct(
            x=builder.address(x),
            panels=builder.packed("bytes", op.weights, cut.vectors, lambda: _panels(weights, cut)),
            starts=_per_filter(builder, (OF_BYTES.offset - op.end.zero) * weights.sum((2, 3, 4), np.int32), padded),
            factors=_per_filter(builder, op.end.factor.reshape(groups, filters), padded),
            biases=_per_filter(builder, _bias(op).reshape(groups, filters), padded),
            columns=columns,
            width=x.shape[3],
            depth=words,
            panel_depth=panel_depth,
            left_row=cut.left_row,
            filters=filters,
            tile_rows=cut.rows,
            vectors=cut.vectors,
            points=cut.points,
            groups=cut.groups,
            zeros=builder.constant(np.full(_WORD * words, op.end.zero), U8),
            images=images,
            rows=rows,
            height=x.shape[2],
            **image_strides("x", x),
            **geometry._asdict(),
            **_outputs(op, builder, outs, end),
            **_array(builder, "summand", summand),
            summand_size=4 if summand is None else summand.itemsize,
            tasks=cut.tasks,
            next_x=depth,
            next_panels=_WORD * panel_depth * padded,
            next_padded=padded,
            numbers=_numbers(op, builder, end),
            **_function(op, end),
        ),
        groups * cut.tasks,
        cut.workspace + 8 * (cut.points + cut.rows),
    )


def _numbers(op: FusedIntegerProduct, builder: Builder, end: End) -> int:
    """The address of the numbers of an epilogue."""
    numbers = Numbers(end.low, end.high)
    levels, between = op.end.levels, op.end.between
    if levels is not None:
        numbers = numbers._replace(slope=levels.slope, shift=-levels.low * levels.slope, most=levels.most)
    if op.end.summand is not None:
        numbers = numbers._replace(step=op.end.summand.step)
    if between is not None:
        numbers = numbers._replace(
            between_slope=between.slope,
            between_shift=-between.low * between.slope,
            between_most=between.most,
            between_step=between.step,
            between_low=between.output_low + _least(op.end.summand),
        )
    return builder.constant(np.array(numbers))


def _function(op: FusedIntegerProduct, end: End) -> dict[str, Any]:
    """The activation that is computed after all sums of a task, and the range of the levels of its results."""
    found: dict[str, Any] = {"function": end.function, "alpha": end.alpha, "beta": end.beta}
    levels = op.end.levels
    if levels is not None:
        found |= {"levels_low": levels.low, "levels_high": levels.high, "levels_most": float(levels.most)}
    return found


def _bias(op: FusedIntegerProduct) -> Array:
    """Return the numbers that are added to sums; level 0 of a summand is part of it unless they are rounded first."""
    return op.end.bias if op.end.between is not None else op.end.bias + np.float32(_least(op.end.summand))


def _least(levels: Levels | None) -> float:
    """The number of level 0."""
    return 0.0 if levels is None else levels.output_low


def _outputs(op: FusedIntegerProduct, builder: Builder, outs: Sequence[Array], end: End) -> dict[str, int]:
    """The addresses of f32, which a function needs too, and of levels; and their strides."""
    out, codes = outs[0] if op.end.floats else None, outs[-1] if op.end.levels is not None else None
    if out is None and end.function >= 0:
        out = builder.images(outs[0].shape)
    return _array(builder, "out", out) | _array(builder, "codes", codes)


def _array(builder: Builder, name: str, x: Array | None) -> dict[str, int]:
    """The address of an array and its strides."""
    return {name: 0 if x is None else builder.address(x), **image_strides(name, x)}


def _per_filter(builder: Builder, rows: Array, padded: int) -> int:
    """The address of rows [G, O] with room for whole vectors; those of integers keep their type."""
    whole = np.zeros((len(rows), padded), rows.dtype)
    whole[:, : rows.shape[1]] = rows
    return builder.constant(whole, whole.dtype)


def _panels(weights: Array, cut: Tiling) -> Array:
    """Weights [G, O, I, KH, KW] in panels of words."""
    groups, filters, depth = weights.shape[:3]
    taps, words = math.prod(weights.shape[3:]), -(-depth // _WORD)
    whole = np.zeros((groups, taps, _WORD * words, filters), np.int8)
    whole[:, :, :depth] = weights.reshape(groups, filters, depth, taps).transpose(0, 3, 2, 1)
    by_word = whole.reshape(groups, taps * words, _WORD, filters).swapaxes(2, 3)
    matrices = np.zeros((groups, padded_depth(taps * words, HAS_BYTE_TILES), filters), np.int32)
    matrices[:, : taps * words] = np.ascontiguousarray(by_word).view(np.int32)[..., 0]
    return np.concatenate([pack(matrix, cut.vectors) for matrix in matrices])
