"""Products of matrices and of stacks of matrices."""

from __future__ import annotations

import numpy as np

from irrun.kernels.threads import Array

_EXACT_IN_F64 = 2**53
_WORTH_BLAS = 1 << 15


def matmul(a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False) -> Array:
    """Multiply over the last two axes, broadcast over the others; a vector is a row as ``a`` and a column as ``b``.

    Floats keep their type. Integers are exact and wrap around in their type.
    """
    if transpose_a and a.ndim > 1:
        a = np.swapaxes(a, -1, -2)
    if transpose_b and b.ndim > 1:
        b = np.swapaxes(b, -1, -2)
    return _float(a, b) if a.dtype.kind == "f" else _integer(a, b)


def _float(a: Array, b: Array) -> Array:
    if b.ndim == 2 and a.ndim > 2 and a.flags.c_contiguous:
        rows = a.reshape(-1, a.shape[-1]) if a.size else a
        product: Array = np.matmul(rows, b)
        return product.reshape(*a.shape[:-1], b.shape[-1])
    return np.asarray(np.matmul(a, b))


def _integer(a: Array, b: Array) -> Array:
    """Multiply integers in float64 where every partial sum is exact there, which is faster, otherwise as integers."""
    work = a.size * (b.shape[-1] if b.ndim > 1 else 1)
    if work < _WORTH_BLAS or _largest(a) * _largest(b) * a.shape[-1] >= _EXACT_IN_F64:
        return np.asarray(np.matmul(a, b))
    product = _float(a.astype(np.float64), b.astype(np.float64))
    return product.astype(np.int64).astype(a.dtype)


def _largest(array: Array) -> int:
    return max(abs(int(array.max())), abs(int(array.min()))) if array.size else 0


def grouped_matmul(a: Array, b: Array, offsets: Array) -> Array:
    """Multiply consecutive rows of ``a`` [rows, K] by the transposed matrices of ``b`` [groups, N, K].

    Group i ends before row ``offsets[i]``. Rows without a group are zero.
    """
    ends = offsets.tolist()
    result = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for group, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        result[start:end] = matmul(a[start:end], b[group], transpose_b=True)
    return result
