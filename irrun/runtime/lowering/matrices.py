"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Final

from irrun.kernels.dynamic_quantization import groups_of
from irrun.kernels.packed_product import FEW_ROWS
from irrun.ops._declared.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.ops._declared.fused.fused_products import FusedMatMul
from irrun.runtime.lowering.builder import BF16_BITS, EMPTY, Builder, Unsupported, lowers, require_f32
from irrun.runtime.lowering.conversions import emit_rounding
from irrun.runtime.lowering.dynamic import coding_of, emit_matrix, emit_rounded_rows, stored_weights
from irrun.runtime.lowering.elementwise import emit_activation
from irrun.runtime.lowering.products import (
    Factors,
    Operands,
    as_pixels,
    emit_operands,
    emit_product,
    epilogue,
    has_epilogue,
    images_of,
    placed_epilogue,
    types,
)
from irrun.runtime.packing import FORMS, cut_product
from irrun.runtime.symbolic import Number, is_found, least
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import BF16, F16
from irrun_kernels.dynamic import dynamic_product
from irrun_kernels.epilogue import Epilogue
from irrun_kernels.host import LANES
from irrun_kernels.packed import DEPTH, packed_product
from irrun_kernels.product import Product
from irrun_kernels.tiling import panel_vectors


@lowers(FusedMatMul)
def lower_matmul(op: FusedMatMul, builder: Builder, data: Operand, summand: Operand | None = None) -> Any:
    """A product with packed weights."""
    if not has_epilogue(op.activation) and op.activation is not None and not op.bf16:
        plain = copy(op)
        plain.activation = None
        (result,) = lower_matmul(plain, builder, data, summand)
        return emit_activation(builder, result, op.activation)
    filters = op.weights.shape[1]
    end = epilogue(op.activation)
    require_f32(op.weights, summand)
    x, weights = emit_operands(op, builder, data)
    added = None if summand is None else emit_matrix(builder, summand)
    outs = [builder.empty((*data.shape[:-1], filters), dtype) for dtype in types(op)]
    rows = [out.reshape(-1, filters) for out in outs]
    emit_row_product(builder, weights, emit_matrix(builder, x), rows, op.bias, added, end)
    return tuple(outs)


_NO_EPILOGUE: Final = Epilogue()


def emit_row_product(
    builder: Builder,
    weights: Array,
    x: Operand,
    outs: Sequence[Operand],
    bias: Array | None = None,
    summand: Operand | None = None,
    end: Epilogue = _NO_EPILOGUE,
) -> None:
    """Lower a product of rows [M, K] with weights [K, N]; results are f32, bits of bf16, or both."""
    added = None if summand is None else as_pixels(summand)
    given = Operands(as_pixels(x), [as_pixels(out) for out in outs], added, end)
    emit_product(builder, Factors("rows", weights, weights.T[None]), given, bias)


@lowers(FusedPackedMatMul)
def lower_packed_matmul(op: FusedPackedMatMul, builder: Builder, data: Operand, summand: Operand | None = None) -> View:
    """A product with weights of at most 8 bits, which stay so in memory."""
    end, coding = epilogue(op.activation), coding_of(op.weights.stored)
    depth, filters = op.weights.shape
    require_f32(data, summand, may_be_found=True)
    if 0 in (depth, filters):
        raise Unsupported(EMPTY)
    if op.precision is F16:
        raise Unsupported("weights of few bits in f16")
    groups, is_dynamic = op.weights.stored.shape[1], bool(op.group_size)
    part = groups_of(op.group_size, depth, depth // groups).part if is_dynamic else depth // groups
    if part % (32 // coding.bits):
        raise Unsupported(f"groups of {part} weights")

    rows = emit_matrix(builder, data)
    added = None if summand is None else as_pixels(emit_matrix(builder, summand))
    points = rows.shape[0]
    algorithm = "quantised rows" if is_dynamic else "few rows" if _are_few(points) else "rows"
    builder.algorithm = algorithm

    vectors = panel_vectors(filters)
    panels, codes = stored_weights(op, builder, coding, vectors, needs_zeros=is_dynamic)
    x = rows
    if algorithm == "quantised rows":
        x, codes = emit_rounded_rows(op, builder, rows, coding, codes)
    elif algorithm == "rows" and op.precision is BF16:
        x = emit_rounding(builder, rows, BF16, as_bits=True)
    out = builder.empty((*data.shape[:-1], filters))
    form = FORMS[x.dtype]
    cut = cut_product(points, 1, depth // form.each, filters, has_tiles=not is_dynamic and form.has_tiles())
    if algorithm == "few rows":
        parts = max(1, least(cut.groups, depth * filters // _LEAST_CODES))
        cut = cut._replace(groups=parts, tasks=parts)
    given = Operands(as_pixels(x), [as_pixels(out.reshape(points, filters))], added, end)
    arguments = Product(
        x=images_of(builder, given.x),
        panels=panels,
        geometry=given.windows,
        cut=cut,
        depth=depth // form.each,
        panel_depth=depth,
        filters=filters,
        bf16=int(x.dtype == BF16_BITS),
        epilogue=placed_epilogue(builder, given, 0, builder.constant(op.bias)),
        codes=codes,
    )
    width = vectors * LANES
    free = 4 * max(DEPTH * width, FEW_ROWS * (groups + width))
    if is_dynamic:
        free = 8 * (cut.points + cut.rows) + part * width
    builder.call(dynamic_product if is_dynamic else packed_product, arguments, cut.tasks, cut.workspace + free)
    return out


def _are_few(rows: Number) -> bool:
    """Return whether codes become numbers in registers; not for rows that calls find."""
    return not is_found(rows) and rows <= FEW_ROWS


_LEAST_CODES: Final = 1 << 17
"""Codes that are multiplied by a row in five microseconds."""
