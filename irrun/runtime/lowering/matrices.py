"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.compiled.functions import End
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.packed import DEPTH, PackedProduct, packed_product
from irrun.kernels.compiled.tiling import padded_columns, tiling
from irrun.kernels.dynamic_quantization import codes_of
from irrun.ops.fused.fused_matmul import FusedMatMul
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.runtime.lowering.builder import Builder, is_f32, lowers
from irrun.runtime.lowering.dynamic import by_group, dynamically, panels, rows_of, source_of
from irrun.runtime.lowering.elementwise import epilogue
from irrun.runtime.lowering.geometry import as_pixels
from irrun.runtime.lowering.halves import in_precision, operand, types
from irrun.runtime.lowering.products import NO_END, Weights, alone, form_of, multiply
from irrun.tensor import Array
from irrun.tensor.element_type import F16


@lowers(FusedMatMul)
def matmul(op: FusedMatMul, builder: Builder, data: Array, summand: Array | None = None) -> Any:
    """A product with packed weights."""
    end = epilogue(op.activation)
    depth, filters = op.weights.shape
    if end is None or not is_f32(summand) or op.weights.dtype != np.float32 or 0 in (depth, filters):
        return None
    x = operand(op, builder, data)
    data_rows = None if x is None else rows_of(builder, x)
    summand_rows = None if summand is None else rows_of(builder, summand)
    if data_rows is None or (summand is not None and summand_rows is None):
        return None
    outs = [builder.empty((*data.shape[:-1], filters), dtype) for dtype in types(op)]
    multiplied(builder, op.weights, data_rows, [out.reshape(-1, filters) for out in outs], op.bias, summand_rows, end)
    return alone(outs)


def multiplied(
    builder: Builder,
    weights: Array,
    x: Array,
    outs: Sequence[Array],
    bias: Array | None = None,
    summand: Array | None = None,
    end: End = NO_END,
) -> None:
    """Lower a product of rows [M, K] with weights [K, N]; results are f32, bits of bf16, or both."""
    depth, filters = weights.shape
    factors = Weights("rows", weights, 1, filters, depth, lambda: [weights])
    added = None if summand is None else as_pixels(summand)
    multiply(builder, factors, as_pixels(x), [as_pixels(out) for out in outs], added, bias, end)


@lowers(FusedPackedMatMul)
def packed_matmul(op: FusedPackedMatMul, builder: Builder, data: Array, summand: Array | None = None) -> Array | None:
    """A product with weights of at most 8 bits, which stay so in memory."""
    end, stored = epilogue(op.activation), op.weights.stored
    depth, filters = op.weights.shape
    if (
        end is None
        or not is_f32(data, summand)
        or stored.dtype.itemsize != 1
        or 0 in (depth, filters)
        or op.precision is F16
    ):
        return None
    if op.group_size:
        return dynamically(op, builder, data, summand, end)
    bits, centre = codes_of(stored)
    groups = stored.shape[1]
    data_rows = rows_of(builder, data)
    summand_rows = None if summand is None else rows_of(builder, summand)
    if (depth // groups) % (32 // bits) or data_rows is None or (summand is not None and summand_rows is None):
        return None
    points = data_rows.shape[0]
    if points > 1:
        rounded = in_precision(op.precision, builder, data_rows)
        if rounded is None:
            return None
        data_rows = rounded
    out = builder.empty((*data.shape[:-1], filters))
    form = form_of(data_rows)
    cut = tiling(points, 1, depth // form.each, filters, has_tiles=form.has_tiles())
    parts = cut.groups if points > 1 else max(1, min(cut.groups, depth * filters // _LEAST_CODES))

    padded = padded_columns(filters)
    scale = np.float32(1) if op.weights.scale is None else op.weights.scale
    zero = op.weights.zero - np.float32(centre)
    scales, zeros = (by_group(np.broadcast_to(side, (filters, groups)), padded) for side in (scale, zero))
    builder.call(
        packed_product,
        PackedProduct(
            x=builder.address(data_rows),
            codes=builder.packed(
                ("codes", bits), source_of(stored), cut.vectors, lambda: panels(stored, centre, bits, cut.vectors)
            ),
            scales=builder.constant(scales),
            zeros=builder.constant(zeros) if zero.any() else 0,
            bias=0 if op.bias is None else builder.constant(op.bias),
            out=builder.address(out),
            summand=0 if summand_rows is None else builder.address(summand_rows),
            bits=bits,
            points=points,
            depth=depth,
            filters=filters,
            padded=padded,
            group=depth // groups,
            x_row=data_rows.strides[0],
            out_row=4 * filters,
            summand_row=0 if summand_rows is None else summand_rows.strides[0],
            tile_rows=cut.rows,
            vectors=cut.vectors,
            points_per_task=cut.points,
            parts=parts,
            halves=form.halves,
            left_row=cut.left_row,
            **end._asdict(),
        ),
        cut.tasks // cut.groups * parts,
        4 * max(DEPTH, groups) * cut.vectors * LANES + (24 + cut.left_row) * (cut.points + cut.rows),
    )
    return out


_LEAST_CODES: Final = 1 << 17
"""Codes that are multiplied by a row in five microseconds."""
