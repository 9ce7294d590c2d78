"""Einstein summation over tensors with labelled axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.matmul import matmul
from irrun.kernels.threads import Array

Labels = tuple[str, ...]
"""The labels of the axes of one tensor."""


def einsum(operands: Sequence[Array], subscripts: Sequence[Labels], output: Labels) -> Array:
    """Return the product of the operands, summed over all labels that are not in ``output``.

    A label that occurs twice in an operand selects its diagonal. An axis of size 1 is broadcast to the longest axis
    with its label. Operands are multiplied from left to right, each pair as a matrix product.
    """
    array, labels = _diagonal(operands[0], subscripts[0])
    for index in range(1, len(operands)):
        other, other_labels = _diagonal(operands[index], subscripts[index])
        kept = set(output).union(*subscripts[index + 1 :])
        array, labels = _pair(array, labels, other, other_labels, kept)
    array, labels = _reduce(array, labels, set(output))
    return np.transpose(array, [labels.index(label) for label in output])


def _diagonal(array: Array, labels: Labels) -> tuple[Array, Labels]:
    distinct = tuple(dict.fromkeys(labels))
    numbers = [distinct.index(label) for label in labels]
    return np.einsum(array, numbers, range(len(distinct))), distinct


def _reduce(array: Array, labels: Labels, kept: set[str]) -> tuple[Array, Labels]:
    axes = tuple(axis for axis, label in enumerate(labels) if label not in kept)
    if not axes:
        return array, labels
    return array.sum(axis=axes, dtype=array.dtype), tuple(label for label in labels if label in kept)


def _pair(a: Array, a_labels: Labels, b: Array, b_labels: Labels, kept: set[str]) -> tuple[Array, Labels]:
    """Multiply two operands and sum over the labels that are not needed further."""
    a, a_labels = _reduce(a, a_labels, kept.union(b_labels))
    b, b_labels = _reduce(b, b_labels, kept.union(a_labels))
    shared = [label for label in a_labels if label in b_labels]
    batch = [label for label in shared if label in kept]
    summed = [label for label in shared if label not in kept]
    left = [label for label in a_labels if label not in shared]
    right = [label for label in b_labels if label not in shared]
    a = np.transpose(a, [a_labels.index(label) for label in (*batch, *left, *summed)])
    b = np.transpose(b, [b_labels.index(label) for label in (*batch, *summed, *right)])
    count = len(batch)
    a_summed, b_summed = a.shape[len(a.shape) - len(summed) :], b.shape[count : count + len(summed)]
    left_sizes, right_sizes = a.shape[count : count + len(left)], b.shape[count + len(summed) :]
    if a_summed != b_summed:
        sizes = np.broadcast_shapes(a_summed, b_summed)
        a = np.broadcast_to(a, (*a.shape[: count + len(left)], *sizes))
        b = np.broadcast_to(b, (*b.shape[:count], *sizes, *right_sizes))
        a_summed = sizes
    rows, columns, inner = math.prod(left_sizes), math.prod(right_sizes), math.prod(a_summed)
    a = a.reshape(*a.shape[:count], rows, inner)
    b = b.reshape(*b.shape[:count], inner, columns)
    product = np.multiply(a, b) if inner == 1 else matmul(a, b)
    return product.reshape((*product.shape[:count], *left_sizes, *right_sizes)), (*batch, *left, *right)
