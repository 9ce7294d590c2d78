"""Products of stacks of matrices that both change from run to run."""

from __future__ import annotations

import math
from typing import Final

from irrun.ops.matrix.matmul import MatMul
from irrun.runtime.lowering.builder import Builder, broadcast, broadcast_shape, is_f32, lowers, merged
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.symbolic import of_sizes
from irrun.runtime.view import Operand, View
from irrun_kernels.host import BYTES
from irrun_kernels.micro import ROWS
from irrun_kernels.stacks import Matrices, StackedProduct, stacked_product
from irrun_kernels.tiling import panel_vectors


def matrices_of(builder: Builder, x: Operand | None) -> Matrices:
    """The address and the strides of an array, without those of the last axis."""
    return Matrices() if x is None else Matrices(builder.address(x), *x.strides[:3])


@lowers(MatMul)
def multiplied_stacks(op: MatMul, builder: Builder, a: Operand, b: Operand) -> View | None:
    """A product for each pair of matrices; the second factor is packed by each task that needs it."""
    if a.ndim < 2 or b.ndim < 2 or not is_f32(a, b):
        return None
    left = a.swapaxes(-1, -2) if op.transpose_a else a
    right = b.swapaxes(-1, -2) if op.transpose_b else b
    x = left if left.strides[-1] == 4 else contiguous(builder, left)
    y = right if any(stride == 4 for stride in right.strides[-2:]) else contiguous(builder, right)
    if x is None or y is None:
        return None
    front = broadcast_shape(x.shape[:-2], y.shape[:-2])
    out = builder.empty((*front, x.shape[-2], y.shape[-1]))
    arrays = [broadcast(builder, array, (*front, *array.shape[-2:])) for array in (x, y, out)]
    axes = merged([array[..., 0, 0] for array in arrays], 2)
    if axes is None:
        return None
    (stacks, from_stack), (matrices, from_matrix) = [(1, (0, 0, 0)), *axes][-2:]
    rows, depth, columns = out.shape[-2], x.shape[-1], out.shape[-1]
    vectors, tile_rows, each = _cut(stacks * matrices, rows, depth, columns)
    first, second, result = (
        Matrices(builder.address(array), stack, matrix, array.strides[-2])
        for array, stack, matrix in zip((x, y, out), from_stack, from_matrix, strict=True)
    )
    builder.call(
        stacked_product,
        StackedProduct(
            first,
            second,
            result,
            y_column=y.strides[-1],
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
