"""Einstein summation over tensors with labelled axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

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
    numbers = {label: number for number, label in enumerate(dict.fromkeys(chain(*subscripts)))}

    def arranged(array: Array, labels: Sequence[str], wanted: Sequence[str]) -> Array:
        """Return the wanted axes in order, summed over the others."""
        return np.asarray(np.einsum(array, [numbers[label] for label in labels], [numbers[label] for label in wanted]))

    array, labels = operands[0], subscripts[0]
    for index, (other, other_labels) in enumerate(zip(operands[1:], subscripts[1:], strict=True), start=2):
        kept = set(output).union(*subscripts[index:])
        shared = [label for label in dict.fromkeys(labels) if label in other_labels]
        batch = [label for label in shared if label in kept]
        summed = [label for label in shared if label not in kept]
        left = [label for label in dict.fromkeys(labels) if label in kept and label not in shared]
        right = [label for label in dict.fromkeys(other_labels) if label in kept and label not in shared]
        a = arranged(array, labels, batch + left + summed)
        b = arranged(other, other_labels, batch + summed + right)
        array, labels = _product(a, b, len(batch), len(summed)), (*batch, *left, *right)
    return arranged(array, labels, output)


def _product(a: Array, b: Array, batch: int, summed: int) -> Array:
    """Multiply stacks of matrices [*batch, *left, *summed] and [*batch, *summed, *right]."""
    split = a.ndim - summed
    left, right = a.shape[batch:split], b.shape[batch + summed :]
    inner = np.broadcast_shapes(a.shape[split:], b.shape[batch : batch + summed])
    a = np.broadcast_to(a, (*a.shape[:split], *inner)).reshape(*a.shape[:batch], math.prod(left), math.prod(inner))
    b = np.broadcast_to(b, (*b.shape[:batch], *inner, *right))
    b = b.reshape(*b.shape[:batch], math.prod(inner), math.prod(right))
    product = a * b if math.prod(inner) == 1 else matmul(a, b)
    return product.reshape((*product.shape[:-2], *left, *right))
