"""Products of matrices as BLAS does them fastest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.kernels.calls import Call, call, perform
from irrun.kernels.threads import Array, are_products_shared

_SMALL: Final = 1_000_000
"""Multiplications up to which OpenBLAS, where it has kernels for AVX-512, copies neither matrix."""

_LIGHT: Final = 9600
"""Elements of the right matrix up to which that is faster than one large product."""


def is_light(depth: int, columns: int) -> bool:
    """Whether a right matrix of this shape is multiplied with fastest where neither matrix is copied."""
    return 0 < depth * columns <= _LIGHT


def multiply(a: Array, b: Array, out: Array) -> None:
    """``a @ b``, written to ``out``; in one thread, and with a small matrix b, a few rows of a at a time."""
    perform(multiplying(a, b, out))


def multiplying(a: Array, b: Array, out: Array) -> Iterator[Call]:
    """The calls of `multiply`."""
    rows, depth = a.shape[-2:]
    light = is_light(depth, b.shape[-1]) and b.strides[-1] == b.itemsize and not are_products_shared()
    blocks = -(-rows * depth * b.shape[-1] // _SMALL) if light else 1
    if blocks < 2:
        yield call(np.matmul, a, b, out)
        return
    size = rows // blocks
    whole = blocks * size
    several = b[..., np.newaxis, :, :] if b.ndim > 2 else b
    yield call(np.matmul, _cut(a, blocks, size), several, _cut(out, blocks, size))
    if whole < rows:
        yield call(np.matmul, a[..., whole:, :], b, out[..., whole:, :])


def _cut(x: Array, blocks: int, size: int) -> Array:
    """[..., blocks * size + some, N] as a view [..., blocks, size, N]."""
    return x[..., : blocks * size, :].reshape(*x.shape[:-2], blocks, size, x.shape[-1])
