"""Products of matrices as BLAS does them fastest."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.kernels.threads import Array, are_products_shared

_SMALL: Final = 1_000_000
"""Multiplications up to which OpenBLAS, where it has kernels for AVX-512, copies neither matrix."""

_LANES: Final = 32
_WIDE: Final = 128
"""Columns of the right matrix in multiples of which, and up to which, that is faster for a large left one."""

_MOST_ROWS: Final = 16

_LIGHT: Final = 9600
"""Elements of the right matrix up to which that is faster than one large product."""


def multiply(a: Array, b: Array, out: Array) -> None:
    """``a @ b``, written to ``out``; in one thread, and with a small matrix b, a few rows of a at a time."""
    rows, depth = a.shape[-2:]
    light = 0 < depth * b.shape[-1] <= _LIGHT and b.strides[-1] == b.itemsize and not are_products_shared()
    blocks = -(-rows * depth * b.shape[-1] // _SMALL) if light else 1
    if blocks < 2:
        np.matmul(a, b, out=out)
        return
    _multiply_rows(a, b, out, rows // blocks)


def _multiply_rows(a: Array, b: Array, out: Array, size: int) -> None:
    """``size`` rows of a at a time, all in one call, and what is left of them in another."""
    rows = a.shape[-2]
    blocks = rows // size
    whole = blocks * size
    several = b[..., np.newaxis, :, :] if b.ndim > 2 else b
    np.matmul(_cut(a, blocks, size), several, out=_cut(out, blocks, size))
    if whole < rows:
        np.matmul(a[..., whole:, :], b, out=out[..., whole:, :])


def _cut(x: Array, blocks: int, size: int) -> Array:
    """[..., blocks * size + some, N] as a view [..., blocks, size, N]."""
    return x[..., : blocks * size, :].reshape(*x.shape[:-2], blocks, size, x.shape[-1])


def multiply_through(a: Array, b: Array, out: Array) -> None:
    """As `multiply`, for a matrix a that is too large for the cache and is gone through once: weights, for few data."""
    size = rows_at_a_time(*b.shape) if a.strides[1] == b.strides[1] == a.itemsize else 0
    if not size or are_products_shared():
        np.matmul(a, b, out=out)
    else:
        _multiply_rows(a, b, out, size)


def rows_at_a_time(depth: int, columns: int) -> int:
    """How many rows of a large matrix to multiply with [depth, columns] at a time; 0 where all are faster."""
    if columns % _LANES or not 0 < columns <= _WIDE or not depth:
        return 0
    size = min(_SMALL // (depth * columns) // 4 * 4, _MOST_ROWS)
    return size if size >= 4 else 0
