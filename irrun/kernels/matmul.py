"""Products of matrices and of stacks of matrices."""

from __future__ import annotations

import numpy as np

from irrun.kernels.threads import Array


def matmul(a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
    """Multiply over the last two axes, broadcast over the others; a vector is a row as ``a`` and a column as ``b``.

    Floats keep their type. Integers are exact and wrap around in their type.
    """
    if transpose_a and a.ndim > 1:
        a = np.swapaxes(a, -1, -2)
    if transpose_b and b.ndim > 1:
        b = np.swapaxes(b, -1, -2)
    if b.ndim == 2 and a.ndim > 2:
        rows = a.reshape(-1, a.shape[-1]) if a.size else a
        product: Array = np.matmul(rows, b)
        return product.reshape(*a.shape[:-1], b.shape[-1])
    return np.asarray(np.matmul(a, b))


def grouped_matmul(a: Array, b: Array, offsets: Array) -> Array:
    """Multiply consecutive rows of ``a`` [rows, K] by the transposed matrices of ``b`` [groups, N, K].

    Group i ends before row ``offsets[i]``. Rows without a group are zero.
    """
    ends = offsets.tolist()
    result = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for group, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        result[start:end] = matmul(a[start:end], b[group], transpose_b=True)
    return result
