"""Right factors of products in panels."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.runtime.at_once import run_at_once
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.copies import copied
from irrun.tensor import Array
from irrun_kernels.host import LANES
from irrun_kernels.tiling import padded_columns

_WORD: Final = np.dtype([("low", "<u2"), ("high", "<u2")])


def pack(matrix: Array, vectors: int) -> Array:
    """A matrix [K, N] of words in panels [K, vectors * LANES], the last one as narrow as whole vectors allow."""
    return _packed(matrix, vectors, 1)


def pack_bf16(matrix: Array, vectors: int) -> Array:
    """A matrix [K, N] of f32 that bf16 holds in panels of words, each of two rows; the last row may be zeros."""
    halves = matrix.astype(np.float32, copy=False).view(_WORD)["high"]
    return _packed(_padded(halves, 2), vectors, 2).view(np.uint32)


def pack_bytes(matrix: Array, vectors: int) -> Array:
    """A matrix [4 * K, N] of bytes with sign in panels of words, each of four rows."""
    return _packed(matrix.astype(np.int8, copy=False), vectors, 4).view(np.uint32)


def _padded(rows: Array, each: int) -> Array:
    """Rows of a number that is a multiple of ``each``, with zeros behind them."""
    missing = -len(rows) % each
    return np.concatenate([rows, np.zeros((missing, rows.shape[1]), rows.dtype)]) if missing else rows


def _packed(matrix: Array, vectors: int, each: int) -> Array:
    """A matrix [K, N] in panels [K / each, columns, each]."""
    (depth, columns), size = matrix.shape, vectors * LANES
    words, whole = depth // each, columns // size * size
    rest = padded_columns(columns - whole)
    packed = np.empty(depth * (whole + rest), matrix.dtype)
    panels = packed[: depth * whole].reshape(-1, words, size, each)
    last = packed[depth * whole :].reshape(words, rest, each)
    last[:, columns - whole :] = 0
    builder = Builder()
    for source, target in (
        (matrix[:, :whole].reshape(words, each, -1, size).transpose(2, 0, 3, 1), panels),
        (matrix[:, whole:].reshape(words, each, -1).swapaxes(1, 2), last[:, : columns - whole]),
    ):
        if source.size and not copied(builder, builder.view(source), builder.view(target)):
            raise ValueError(f"a matrix of {matrix.dtype} cannot be packed")
    run_at_once(builder)
    return packed
