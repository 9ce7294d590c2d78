"""Products and convolutions of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.kernels.quantize import Levels
from irrun.ops._declared.fused.fused_products import (
    FusedIntegerConvolution,
    FusedIntegerMatMul,
    FusedIntegerProduct,
)
from irrun.runtime.lowering.builder import EMPTY, F32, U8, Builder, Unsupported, lowers
from irrun.runtime.lowering.convolutions import algorithm_of, has_few_channels
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.lowering.images import emit_windows
from irrun.runtime.lowering.products import (
    Factors,
    Operands,
    as_images,
    as_pixels,
    emit_channels_last,
    emit_padding,
    emit_product,
    epilogue,
    taps_as_channels,
    window_geometry,
)
from irrun.runtime.view import Operand
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.backends import OF_BYTES
from irrun_kernels.epilogue import Epilogue, IntegerEpilogueArguments, LevelNumbers
from irrun_kernels.native import Address
from irrun_kernels.tiling import padded_columns


@lowers(FusedIntegerMatMul)
def lower_integer_matmul(
    op: FusedIntegerMatMul, builder: Builder, codes: Operand, summand: Operand | None = None
) -> Any:
    """A product of rows of bytes."""
    end = epilogue(op.epilogue.activation)
    depth, filters = op.weights.shape
    _require_types(op, codes, summand)
    x = emit_contiguous(builder, codes)
    added = None if summand is None else emit_contiguous(builder, summand)
    outs = [builder.empty((*codes.shape[:-1], filters), dtype) for dtype in _types(op)]
    pixels = [as_pixels(out.reshape(-1, filters)) for out in outs]
    weights, rows = op.weights.T[None, :, :, None], None if added is None else as_pixels(added.reshape(-1, filters))
    _emit_product(op, builder, weights, Operands(as_pixels(x.reshape(-1, depth)), pixels, rows, end), None)
    return tuple(outs)


@lowers(FusedIntegerConvolution)
def lower_integer_convolution(
    op: FusedIntegerConvolution, builder: Builder, codes: Operand, summand: Operand | None = None
) -> Any:
    """A convolution of bytes as a product."""
    end = epilogue(op.epilogue.activation)
    groups, filters, depth, *kernel = op.weights.shape
    if codes.ndim not in (3, 4):
        raise Unsupported(f"images of {codes.ndim} axes")
    _require_types(op, codes, summand)
    geometry, counts = window_geometry(op.source.windows(codes.ndim - 2), kernel, codes)

    is_depthwise = groups > 1 and depth == 1 and filters == 1
    algorithm = algorithm_of(is_depthwise=is_depthwise, has_few=has_few_channels(groups, depth, geometry))
    builder.algorithm = algorithm

    added = None if summand is None else emit_channels_last(builder, as_images(summand))
    weights, x = op.weights, as_images(codes)
    outs = [builder.result_images((codes.shape[0], groups * filters, *counts), dtype) for dtype in _types(op)]
    if algorithm == "product by rows of taps":
        x = emit_padding(builder, x, outs[0], geometry, op.epilogue.zero)
        weights, geometry = taps_as_channels(weights, geometry)
    else:
        x = emit_channels_last(builder, x)
    given = Operands(x, outs, added, end, geometry)
    if algorithm == "depthwise":
        _emit_depthwise(op, builder, given)
    else:
        _emit_product(op, builder, weights, given, op.epilogue.zero)
    return tuple(out[:, :, 0] if codes.ndim == 3 else out for out in outs)


def _require_types(op: FusedIntegerProduct, codes: Operand, summand: Operand | None) -> None:
    """Raise Unsupported unless kernels have the types of an operation."""
    of_summand = F32 if op.epilogue.summand is None else U8
    for array, dtype in ((codes, U8), (summand, of_summand)):
        if array is not None and array.dtype != dtype:
            raise Unsupported(f"elements of {dtype_text(array.dtype)}, not {dtype_text(dtype)}")
    if not (codes.size > 0 and op.weights.size > 0):
        raise Unsupported(EMPTY)


def _types(op: FusedIntegerProduct) -> list[np.dtype[Any]]:
    """The types of the outputs."""
    return [F32] * op.epilogue.floats + [U8] * (op.epilogue.levels is not None)


def _emit_depthwise(op: FusedIntegerProduct, builder: Builder, given: Operands) -> None:
    """A convolution of which each channel has its own filter."""
    channels = given.outs[0].shape[1]
    taps = op.weights.reshape(channels, -1).T.astype(np.int16)
    rows = np.zeros((len(taps), padded_columns(channels)), np.int16)
    rows[:, :channels] = taps
    emit_windows(
        builder,
        _with_integer_epilogue(op, builder, -op.epilogue.zero * taps.sum(0, np.int32, keepdims=True), given),
        op.epilogue.zero,
        0.03 * len(taps) + (0.2 if given.epilogue.function < 0 else 0.6),
        weights=builder.constant(rows, rows.dtype),
        weights_row=rows.strides[0],
    )


def _emit_product(op: FusedIntegerProduct, builder: Builder, weights: Array, given: Operands, zero: int | None) -> None:
    """A convolution with weights [G, O, I, *K] of images."""
    sums = weights.reshape(*weights.shape[:2], -1).sum(2, np.int32)
    given = _with_integer_epilogue(op, builder, (OF_BYTES.offset - op.epilogue.zero) * sums, given)
    emit_product(builder, Factors("bytes", op.weights, weights), given, None, zero)


def _with_integer_epilogue(op: FusedIntegerProduct, builder: Builder, begin: Array, given: Operands) -> Operands:
    """Operands with the epilogue of products [G, O] whose sums ``begin`` with these integers."""
    padded = padded_columns(begin.shape[1])
    starts = _per_filter(builder, begin, padded)
    factors, biases = (
        _per_filter(builder, row.reshape(begin.shape), padded) for row in (op.epilogue.factor, _bias(op))
    )
    levels = op.epilogue.levels
    size = 4 if given.summand is None else given.summand.itemsize
    made = IntegerEpilogueArguments(starts, factors, biases, padded, _numbers(op, builder, given.epilogue), size)
    if levels is not None:
        made = made._replace(low=levels.low, high=levels.high, most=float(levels.most))
    if op.epilogue.multiples is not None:
        scales = 1 / op.epilogue.multiples.astype(np.float64)
        made = made._replace(scales=_per_filter(builder, scales.reshape(1, -1).astype(np.float32), padded))
    return given._replace(epilogue=given.epilogue._replace(integers=made))


def _numbers(op: FusedIntegerProduct, builder: Builder, end: Epilogue) -> Address:
    """The address of the numbers of an epilogue."""
    numbers = LevelNumbers(end.low, end.high)
    levels, between = op.epilogue.levels, op.epilogue.between
    if levels is not None:
        first, last = (min(max((bound - levels.low) * levels.slope, 0.0), levels.most) for bound in (end.low, end.high))
        shift = -levels.low * levels.slope
        numbers = numbers._replace(slope=levels.slope, shift=shift, first=first, last=last)
    if op.epilogue.summand is not None:
        numbers = numbers._replace(step=op.epilogue.summand.step)
    if between is not None:
        numbers = numbers._replace(
            between_slope=between.slope,
            between_shift=-between.low * between.slope,
            between_most=between.most,
            between_step=between.step,
            between_low=between.output_low + _least(op.epilogue.summand),
        )
    return builder.constant(np.array(numbers))


def _bias(op: FusedIntegerProduct) -> Array:
    """Return the numbers that are added to sums; level 0 of a summand is part of it unless they are rounded first."""
    given = op.epilogue
    return given.bias if given.between is not None else given.bias + np.float32(_least(given.summand))


def _least(levels: Levels | None) -> float:
    """The number of level 0."""
    return 0.0 if levels is None else levels.output_low


def _per_filter(builder: Builder, rows: Array, padded: int) -> Address:
    """The address of rows [G, O] with room for whole vectors; those of integers keep their type."""
    whole = np.zeros((len(rows), padded), rows.dtype)
    whole[:, : rows.shape[1]] = rows
    return builder.constant(whole, whole.dtype)
