"""Products of stacks of matrices that both change from run to run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from irrun.ops._declared.matrix.matmul import MatMul
from irrun.runtime.lowering.builder import Builder, Unsupported, broadcast, broadcast_shape, is_f32, lowers, merged
from irrun.runtime.lowering.chains import Expression, emit_type
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.symbolic import Number, of_sizes
from irrun.runtime.view import Operand, View
from irrun_kernels.host import BYTES
from irrun_kernels.micro import ROWS
from irrun_kernels.stacks import Matrices, StackedProduct, stacked_product
from irrun_kernels.tiling import panel_vectors


def matrices_of(builder: Builder, x: Operand | None, sizes: Sequence[Number] | None = None) -> Matrices:
    """The address and the strides of an array of at most five axes, which is broadcast to sizes if there are any."""
    if x is None:
        return Matrices()
    strides = builder.view(x).strides if sizes is None else broadcast(builder, x, sizes).strides
    return Matrices(builder.address(x), *(0,) * (5 - len(strides)), *strides)


@lowers(MatMul)
def lower_matmul_of_stacks(op: MatMul, builder: Builder, a: Operand, b: Operand) -> View:
    """A product for each pair of matrices, of which a vector is a row or a column."""
    left = a[None] if a.ndim == 1 else a.swapaxes(-1, -2) if op.transpose_a else a
    right = b[:, None] if b.ndim == 1 else b.swapaxes(-1, -2) if op.transpose_b else b
    if left.shape[-1] != right.shape[-2]:
        raise Unsupported(f"rows of {left.shape[-1]} and columns of {right.shape[-2]} elements")
    if a.ndim == 1 or b.ndim == 1 or not is_f32(a, b):
        builder.algorithm = "sums of products"
        out = emit_contraction(builder, left[..., :, :, None], right[..., None, :, :], [-2])
    else:
        out = emit_matrix_product(builder, left, right)
    return out[(..., *(0 if x.ndim == 1 else slice(None) for x in (a, b)))]


def emit_contraction(builder: Builder, a: Operand, b: Operand, axes: Sequence[int]) -> View:
    """The sums of products of elements along some axes, to which both arrays broadcast; they are left out."""
    e = Expression(builder)
    rank = max(a.ndim, b.ndim)
    summed = [axis % rank for axis in axes]
    product = e("multiply", *(e.computed(e.read(x)) for x in (a, b)))
    if not summed:
        return e.emit(product, a.dtype)
    total = emit_type(builder, e.emit_fold("add", product, summed, 0), a.dtype)
    return total[tuple(0 if axis in summed else slice(None) for axis in range(rank))]


def emit_matrix_product(builder: Builder, left: Operand, right: Operand) -> View:
    """The product of each pair of matrices of f32; the second factor is packed by each task that needs it."""
    x = left if left.strides[-1] == 4 else emit_contiguous(builder, left)
    y = right if any(stride == 4 for stride in right.strides[-2:]) else emit_contiguous(builder, right)
    front = broadcast_shape(x.shape[:-2], y.shape[:-2])
    out = builder.empty((*front, x.shape[-2], y.shape[-1]))
    arrays = [broadcast(builder, array, (*front, *array.shape[-2:])) for array in (x, y, out)]
    axes = merged([array[..., 0, 0] for array in arrays], 2)
    if axes is None:
        whole = (emit_contiguous(builder, broadcast(builder, z, (*front, *z.shape[-2:]))) for z in (x, y))
        return emit_matrix_product(builder, *whole)
    (stacks, from_stack), (matrices, from_matrix) = [(1, (0, 0, 0)), *axes][-2:]
    rows, depth, columns = out.shape[-2], x.shape[-1], out.shape[-1]
    vectors, tile_rows, each = _cut(stacks * matrices, rows, depth, columns)
    x_matrices, y_matrices, out_matrices = (
        Matrices(builder.address(array), 0, stack, matrix, *array.strides[-2:])
        for array, stack, matrix in zip((x, y, out), from_stack, from_matrix, strict=True)
    )
    builder.call(
        stacked_product,
        StackedProduct(
            x_matrices,
            y_matrices,
            out_matrices,
            matrices=matrices,
            rows=rows,
            depth=depth,
            columns=columns,
            tile_rows=tile_rows,
            vectors=vectors,
            rows_per_task=each,
        ),
        stacks * matrices * -(-rows // each),
        16 * each + depth * vectors * BYTES,
    )
    return out


@of_sizes
def _cut(products: int, rows: int, depth: int, columns: int) -> tuple[int, int, int]:
    """The vectors of a panel, the rows of a tile, and those of a task."""
    vectors = panel_vectors(columns)
    tile_rows = 1 if rows == 1 else ROWS[vectors]
    tasks = max(1, min(_MOST_PARTS // max(products, 1), int(rows * depth * columns // _LEAST_WORK)))
    return vectors, tile_rows, math.ceil(rows / tasks / tile_rows) * tile_rows


_LEAST_WORK: Final = 1e6
"""Multiplications of a task: fewer are not worth packing the second factor again."""

_MOST_PARTS: Final = 16
"""Tasks of a call, as far as that leaves them large enough; more where there are more products."""
