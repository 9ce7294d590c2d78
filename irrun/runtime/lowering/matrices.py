"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.dynamic_quantization import codes_of
from irrun.ops.fused.fused_matmul import FusedMatMul
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.runtime.lowering.builder import Builder, is_f32, lowers
from irrun.runtime.lowering.conversions import in_precision, operand, types
from irrun.runtime.lowering.dynamic import dynamically, rows_of, stored_weights
from irrun.runtime.lowering.elementwise import epilogue
from irrun.runtime.lowering.geometry import as_pixels, images_of
from irrun.runtime.lowering.products import Operands, Weights, alone, form_of, multiply, outputs
from irrun.runtime.symbolic import least, of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import F16
from irrun_kernels.functions import End
from irrun_kernels.host import LANES
from irrun_kernels.packed import DEPTH, packed_product
from irrun_kernels.product import Product
from irrun_kernels.tiling import panel_vectors, tiling


@lowers(FusedMatMul)
def matmul(op: FusedMatMul, builder: Builder, data: Operand, summand: Operand | None = None) -> Any:
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


_NO_END: Final = End()


def multiplied(
    builder: Builder,
    weights: Array,
    x: Operand,
    outs: Sequence[Operand],
    bias: Array | None = None,
    summand: Operand | None = None,
    end: End = _NO_END,
) -> None:
    """Lower a product of rows [M, K] with weights [K, N]; results are f32, bits of bf16, or both."""
    depth, filters = weights.shape
    factors = Weights("rows", weights, 1, filters, depth, lambda: [weights])
    added = None if summand is None else as_pixels(summand)
    multiply(builder, factors, Operands(as_pixels(x), [as_pixels(out) for out in outs], added, end), bias)


@lowers(FusedPackedMatMul)
def packed_matmul(
    op: FusedPackedMatMul, builder: Builder, data: Operand, summand: Operand | None = None
) -> View | None:
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
    bits, groups = codes_of(stored)[0], stored.shape[1]
    rows, summand_rows = rows_of(builder, data), None if summand is None else rows_of(builder, summand)
    if (depth // groups) % (32 // bits) or rows is None or (summand is not None and summand_rows is None):
        return None
    points = rows.shape[0]
    x = rows if points == 1 else in_precision(op.precision, builder, rows)
    if x is None:
        return None
    out = builder.empty((*data.shape[:-1], filters))
    form = form_of(x)
    cut = of_sizes(tiling)(points, 1, depth // form.each, filters, has_tiles=form.has_tiles())
    if points == 1:
        parts = max(1, least(cut.groups, depth * filters // _LEAST_CODES))
        cut = cut._replace(groups=parts, tasks=parts)
    added = None if summand_rows is None else as_pixels(summand_rows)
    given = Operands(as_pixels(x), [as_pixels(out.reshape(points, filters))], added, end)
    arguments = Product(
        x=images_of(builder, given.x),
        geometry=given.windows,
        cut=cut,
        depth=depth // form.each,
        panel_depth=depth,
        filters=filters,
        bias=builder.constant(op.bias),
        halves=form.halves,
        **outputs(builder, given, 0),
        **stored_weights(op, builder, panel_vectors(filters)),
    )
    expanded = 4 * max(DEPTH, groups) * panel_vectors(filters) * LANES
    builder.call(packed_product, arguments, cut.tasks, cut.workspace + expanded)
    return out


_LEAST_CODES: Final = 1 << 17
"""Codes that are multiplied by a row in five microseconds."""
