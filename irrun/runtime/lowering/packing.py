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


def pack(matrices: Array, vectors: int) -> Array:
    """Matrices [..., K, N] of words in panels [K, vectors * LANES], the last one as narrow as whole vectors allow.

    Matrices of up to four axes: those along the first are packed one after the other, those along the second are parts
    of one along K. Strides are arbitrary.
    """
    return _packed(matrices, vectors, 1)


def pack_bf16(matrices: Array, vectors: int) -> Array:
    """Matrices of f32 that bf16 holds in panels of words, each of two rows; the last row may be zeros."""
    halves = matrices.astype(np.float32, copy=False).view(_WORD)["high"]
    return _packed(_padded(halves, 2), vectors, 2).view(np.uint32)


def pack_bytes(matrices: Array, vectors: int) -> Array:
    """Matrices [..., 4 * K, N] of bytes with sign in panels of words, each of four rows."""
    return _packed(matrices.astype(np.int8, copy=False), vectors, 4).view(np.uint32)


def _padded(matrices: Array, each: int) -> Array:
    """Rows of a number that is a multiple of ``each``, with zeros behind them."""
    missing = -matrices.shape[-2] % each
    none = ((0, 0),)
    return np.pad(matrices, (*none * (matrices.ndim - 2), (0, missing), *none)) if missing else matrices


def _packed(matrices: Array, vectors: int, each: int) -> Array:
    """Matrices in panels [K / each, columns, each]."""
    groups, parts, depth, columns = (1,) * (4 - matrices.ndim) + matrices.shape
    size, words = vectors * LANES, depth // each
    whole = columns // size * size
    rest = padded_columns(columns - whole)
    packed = np.empty((groups, parts * depth * (whole + rest)), matrices.dtype)
    panels = packed[:, : parts * depth * whole].reshape(groups, -1, parts, words, size, each)
    last = packed[:, parts * depth * whole :].reshape(groups, parts, words, rest, each)
    last[..., columns - whole :, :] = 0
    rows = matrices.reshape(groups, parts, words, each, columns)
    builder = Builder()
    for source, target in (
        (rows[..., :whole].reshape(groups, parts, words, each, -1, size).transpose(0, 4, 1, 2, 5, 3), panels),
        (rows[..., whole:].swapaxes(-2, -1), last[..., : columns - whole, :]),
    ):
        if source.size and not copied(builder, builder.view(source), builder.view(target)):
            raise ValueError(f"matrices of {matrices.dtype} cannot be packed")
    run_at_once(builder)
    return packed.reshape(-1)
