"""Products of stacks of matrices that both change from run to run."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Final

from irrun.kernels.einsum import Labels
from irrun.ops._declared.matrix.einsum import Einsum
from irrun.ops._declared.matrix.matmul import MatMul
from irrun.runtime.lowering.builder import Builder, Unsupported, broadcast, broadcast_shape, lowers, merged, require_f32
from irrun.runtime.lowering.chains import Expression, emit_type
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.lowering.reshaping import emit_reshape
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
    out = emit_matrix_product(builder, left, right)
    return out[(..., *(0 if x.ndim == 1 else slice(None) for x in (a, b)))]


def emit_matrix_product(builder: Builder, left: Operand, right: Operand) -> View:
    """The product of each pair of matrices of f32; the second factor is packed by each task that needs it."""
    require_f32(left, right)
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


@lowers(Einsum)
def lower_einsum(op: Einsum, builder: Builder, *inputs: Operand) -> View:
    """A product of tensors, from left to right, summed over the labels that the output does not have."""
    subscripts, output = op.labels([x.ndim for x in inputs])
    array, labels = _diagonal(builder.view(inputs[0]), subscripts[0])
    for number, (other, names) in enumerate(zip(inputs[1:], subscripts[1:], strict=True), 2):
        kept = {*output, *(name for rest in subscripts[number:] for name in rest)}
        array, labels = _emit_pair(builder, array, labels, *_diagonal(builder.view(other), names), kept)
    array, labels = _emit_reduced(builder, array, labels, output)
    return array.transpose([labels.index(label) for label in output])


def _diagonal(x: View, labels: Labels) -> tuple[View, Labels]:
    """A view in which each label has one axis."""
    names = tuple(dict.fromkeys(labels))
    axes = [[axis for axis, label in enumerate(labels) if label == name] for name in names]
    shape = tuple(x.shape[same[0]] for same in axes)
    strides = tuple(sum(x.strides[axis] for axis in same) for same in axes)
    return View(x.buffer, x.offset, shape, strides, x.dtype), names


def _emit_reduced(builder: Builder, x: View, labels: Labels, kept: Collection[str]) -> tuple[View, Labels]:
    axes = [axis for axis, label in enumerate(labels) if label not in kept]
    if not axes:
        return x, labels
    e = Expression(builder)
    total = emit_type(builder, e.emit_fold("add", e.computed(e.read(x)), axes, 0), x.dtype)
    left = total[tuple(0 if axis in axes else slice(None) for axis in range(x.ndim))]
    return left, tuple(label for label in labels if label in kept)


def _emit_pair(
    builder: Builder, a: View, a_labels: Labels, b: View, b_labels: Labels, kept: Collection[str]
) -> tuple[View, Labels]:
    """The product of two tensors, summed over the labels that are not kept."""
    a, a_labels = _emit_reduced(builder, a, a_labels, {*kept, *b_labels})
    b, b_labels = _emit_reduced(builder, b, b_labels, {*kept, *a_labels})
    shared = [label for label in a_labels if label in b_labels]
    batch = [label for label in shared if label in kept]
    summed = [label for label in shared if label not in kept]
    left = [label for label in a_labels if label not in shared]
    right = [label for label in b_labels if label not in shared]
    found = (*batch, *left, *right)
    a = a.transpose([a_labels.index(label) for label in (*batch, *left, *summed)])
    b = b.transpose([b_labels.index(label) for label in (*batch, *summed, *right)])
    count = len(batch)
    inner = broadcast_shape(a.shape[count + len(left) :], b.shape[count : count + len(summed)])
    sides = a.shape[count : count + len(left)], b.shape[count + len(summed) :]
    a = broadcast(builder, a, (*a.shape[:count], *sides[0], *inner))
    b = broadcast(builder, b, (*b.shape[:count], *inner, *sides[1]))
    rows, depth, columns = (math.prod(sizes) for sizes in (sides[0], inner, sides[1]))
    product = emit_matrix_product(
        builder,
        emit_reshape(builder, a, (*a.shape[:count], rows, depth)),
        emit_reshape(builder, b, (*b.shape[:count], depth, columns)),
    )
    return emit_reshape(builder, product, (*product.shape[:-2], *sides[0], *sides[1])), found
