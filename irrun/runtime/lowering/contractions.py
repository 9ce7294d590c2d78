"""Einstein summation as products of matrices and reductions."""

from __future__ import annotations

import math
from collections.abc import Collection

from irrun.kernels.einsum import Labels
from irrun.ops._declared.matrix.einsum import Einsum
from irrun.runtime.lowering.builder import Builder, broadcast, broadcast_shape, is_f32, lowers
from irrun.runtime.lowering.chains import Expression, emit_type
from irrun.runtime.lowering.reshaping import emit_reshape
from irrun.runtime.lowering.stacks import emit_contraction, emit_matrix_product
from irrun.runtime.view import Operand, View


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
    if not (left and right and summed and is_f32(a, b)):
        order = (*found, *summed)
        aligned = _aligned(a, a_labels, order), _aligned(b, b_labels, order)
        return emit_contraction(builder, *aligned, axes=range(len(found), len(order))), found
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


def _aligned(x: View, labels: Labels, order: Labels) -> View:
    """A view with an axis for each label of an order, of size 1 for those that it does not have."""
    own = [labels.index(label) for label in order if label in labels]
    return x.transpose(own)[tuple(slice(None) if label in labels else None for label in order)]
