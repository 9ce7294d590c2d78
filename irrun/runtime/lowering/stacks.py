"""Products of stacks of matrices that both change from run to run."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irrun.ops.matrix.matmul import MatMul
from irrun.runtime.lowering.builder import Builder, is_f32, lowers, merged
from irrun.runtime.lowering.copies import contiguous
from irrun.tensor import Array
from irrun_kernels.host import BYTES
from irrun_kernels.micro import ROWS
from irrun_kernels.stacks import Matrices, StackedProduct, stacked_product
from irrun_kernels.tiling import panel_vectors


def matrices_of(builder: Builder, x: Array | None) -> Matrices:
    """The address and the strides of an array, without those of the last axis."""
    return Matrices() if x is None else Matrices(builder.address(x), *x.strides[:3])


@lowers(MatMul)
def multiplied_stacks(op: MatMul, builder: Builder, a: Array, b: Array) -> Array | None:
    """A product for each pair of matrices; the second factor is packed by each task that needs it."""
    if a.ndim < 2 or b.ndim < 2 or not is_f32(a, b):
        return None
    left = a.swapaxes(-1, -2) if op.transpose_a else a
    right = b.swapaxes(-1, -2) if op.transpose_b else b
    x = left if left.strides[-1] == 4 else contiguous(builder, left)
    y = right if 4 in right.strides[-2:] else contiguous(builder, right)
    if x is None or y is None:
        return None
    front = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    out = builder.empty((*front, x.shape[-2], y.shape[-1]))
    arrays = [np.broadcast_to(array, (*front, *array.shape[-2:])) for array in (x, y, out)]
    axes = merged([array[..., 0, 0] for array in arrays], 2)
    if axes is None:
        return None
    (stacks, from_stack), (matrices, from_matrix) = [(1, (0, 0, 0)), *axes][-2:]
    rows, depth, columns = out.shape[-2], x.shape[-1], out.shape[-1]
    vectors = panel_vectors(columns)
    tile_rows = 1 if rows == 1 else ROWS[vectors]
    tasks_each = max(1, min(_MOST_PARTS // (stacks * matrices), int(rows * depth * columns // _LEAST_WORK)))
    each = math.ceil(rows / tasks_each / tile_rows) * tile_rows
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


_LEAST_WORK: Final = 1e6
"""Multiplications of a task: fewer are not worth packing the second factor again."""

_MOST_PARTS: Final = 16
"""Tasks of a call, as far as that leaves them large enough; more where there are more products."""
