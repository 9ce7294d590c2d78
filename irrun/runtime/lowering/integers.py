"""Products and convolutions of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.kernels.quantize import Levels
from irrun.ops._declared.fused.fused_products import FusedIntegerConvolution, FusedIntegerMatMul, FusedIntegerProduct
from irrun.runtime.lowering.builder import EMPTY, F32, U8, Builder, Unsupported, lowers
from irrun.runtime.lowering.convolutions import algorithm_of
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.lowering.images import emit_windows
from irrun.runtime.lowering.matrices import emit_row_product
from irrun.runtime.lowering.products import (
    Factors,
    Operands,
    as_images,
    emit_channels_last,
    emit_product,
    emit_product_of_rows,
    epilogue,
    window_geometry,
)
from irrun.runtime.view import Operand
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.backends import OF_BYTES
from irrun_kernels.epilogue import Epilogue, IntegerEpilogueArguments, LevelNumbers
from irrun_kernels.native import Address
from irrun_kernels.tiling import padded_columns, padded_rows


@lowers(FusedIntegerMatMul)
def lower_integer_matmul(
    op: FusedIntegerMatMul, builder: Builder, codes: Operand, summand: Operand | None = None
) -> Any:
    """A product of rows of bytes."""
    depth, filters = op.weights.shape
    _require_types(op, codes, summand)
    end = _epilogue(op, builder, op.weights.T[None], OF_BYTES.offset)
    x = emit_contiguous(builder, codes).reshape(-1, depth)
    added = None if summand is None else emit_contiguous(builder, summand).reshape(-1, filters)
    outs = [builder.empty((*codes.shape[:-1], filters), dtype) for dtype in _types(op)]
    emit_row_product(builder, op.weights, x, [out.reshape(-1, filters) for out in outs], None, added, end)
    return tuple(outs)


@lowers(FusedIntegerConvolution)
def lower_integer_convolution(
    op: FusedIntegerConvolution, builder: Builder, codes: Operand, summand: Operand | None = None
) -> Any:
    """A convolution of bytes as a product."""
    groups, filters, depth, *kernel = op.weights.shape
    if codes.ndim not in (3, 4):
        raise Unsupported(f"images of {codes.ndim} axes")
    _require_types(op, codes, summand)
    geometry, counts = window_geometry(op.source.windows(codes.ndim - 2), kernel, codes)

    is_depthwise = groups > 1 and depth == 1 and filters == 1
    algorithm = algorithm_of(geometry, groups, depth, is_depthwise=is_depthwise)
    builder.algorithm = algorithm

    weights = op.weights.reshape(1, groups, *kernel) if is_depthwise else op.weights
    end = _epilogue(op, builder, weights, 0 if is_depthwise else OF_BYTES.offset)
    added = None if summand is None else emit_channels_last(builder, as_images(summand))
    outs = [builder.result_images((codes.shape[0], groups * filters, *counts), dtype) for dtype in _types(op)]
    x = as_images(codes)
    if algorithm != "product by rows of taps":
        x = emit_channels_last(builder, x)
    given, factors, zero = Operands(x, outs, added, end, geometry), Factors("bytes", weights, weights), op.epilogue.zero
    if algorithm == "depthwise":
        _emit_depthwise(builder, weights[0], given, zero)
    elif algorithm == "product by rows of taps":
        emit_product_of_rows(builder, factors, given, zero=zero)
    else:
        emit_product(builder, factors, given, zero=zero)
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


def _emit_depthwise(builder: Builder, filters: Array, given: Operands, zero: int) -> None:
    """A convolution of which each channel has its own filter, with weights [C, *K]."""
    channels = len(filters)
    rows = padded_rows(filters.reshape(channels, -1).T.astype(np.int16))
    nanoseconds = 0.03 * len(rows) + (0.2 if given.epilogue.function < 0 else 0.6)
    weights = builder.constant(rows, rows.dtype)
    emit_windows(builder, given, zero, nanoseconds, weights=weights, weights_row=rows.strides[0])


def _epilogue(op: FusedIntegerProduct, builder: Builder, weights: Array, offset: int) -> Epilogue:
    """The epilogue of products with weights [G, O, ...] of levels, from which kernels subtract an offset."""
    end, given = epilogue(op.epilogue.activation), op.epilogue
    begin = (offset - given.zero) * weights.reshape(*weights.shape[:2], -1).sum(2, np.int32)
    starts, factors, biases = (
        builder.constant(padded_rows(row.reshape(begin.shape)), row.dtype) for row in (begin, given.factor, _bias(op))
    )
    padded, size = padded_columns(begin.shape[1]), 4 if given.summand is None else 1
    made = IntegerEpilogueArguments(starts, factors, biases, padded, _numbers(op, builder, end), size)
    if given.levels is not None:
        made = made._replace(low=given.levels.low, high=given.levels.high, most=float(given.levels.most))
    if given.multiples is not None:
        scales = 1 / given.multiples.astype(np.float64)
        made = made._replace(scales=builder.constant(padded_rows(scales.reshape(1, -1))))
    return end._replace(integers=made)


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
