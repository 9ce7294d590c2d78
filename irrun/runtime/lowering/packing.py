"""Right factors of products in panels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from irrun.kernels.aligned import staying
from irrun.runtime.at_once import run_at_once
from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.conversions import bf16_bits
from irrun.runtime.lowering.copies import emit_copy
from irrun.tensor import Array
from irrun_kernels.host import LANES
from irrun_kernels.tiling import padded_columns

_BLOCK: Final = 1 << 20
"""Elements that are made at a time of others, and packed while they are in the caches."""


def pack(matrices: Array, vectors: int) -> Array:
    """Matrices [..., K, N] of words in panels [K, vectors * LANES], the last one as narrow as whole vectors allow.

    Matrices of up to four axes: those along the first are packed one after the other, those along the second are parts
    of one along K. Strides are arbitrary.
    """
    return _packed(matrices, vectors, 1)


def pack_bf16(matrices: Array, vectors: int) -> Array:
    """Matrices of f32 rounded to bf16 in panels of words, each of two rows; the last row may be zeros."""
    *_, depth, columns = matrices.shape
    rows = depth + depth % 2

    def rounded(part: slice) -> Array:
        return _padded(bf16_bits(matrices[..., part]), rows - depth)

    shape = (*matrices.shape[:-2], rows, columns)
    return pack_made(rounded, shape, np.dtype(np.uint16), vectors, 2).view(np.uint32)


def pack_bytes(matrices: Array, vectors: int) -> Array:
    """Matrices [..., 4 * K, N] of bytes with sign in panels of words, each of four rows."""
    return _packed(matrices.astype(np.int8, copy=False), vectors, 4).view(np.uint32)


def pack_made(
    make: Callable[[slice], Array], shape: tuple[int, ...], dtype: np.dtype[Any], vectors: int, each: int = 1
) -> Array:
    """Matrices of a shape, of which ``make`` makes some columns at a time, in panels of words of ``each`` rows."""
    *lead, depth, columns = shape
    packed = _empty(shape, dtype)
    size = vectors * LANES
    step = max(1, _BLOCK // max(math.prod(lead) * depth * size, 1)) * size
    parts = (lead[-1] if lead else 1) * depth
    for first in range(0, columns, step):
        made = make(slice(first, first + step))
        _write(made, packed[:, parts * first : parts * (first + step)], vectors, each)
    return packed.reshape(-1)


def _packed(matrices: Array, vectors: int, each: int) -> Array:
    packed = _empty(matrices.shape, matrices.dtype)
    _write(matrices, packed, vectors, each)
    return packed.reshape(-1)


def _padded(matrices: Array, rows: int) -> Array:
    """Matrices with rows of zeros behind them."""
    none = ((0, 0),)
    return np.pad(matrices, (*none * (matrices.ndim - 2), (0, rows), *none)) if rows else matrices


def _empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Memory for packed matrices [groups, elements]."""
    groups, parts, depth, columns = (1,) * (4 - len(shape)) + shape
    return staying((groups, parts * depth * padded_columns(columns)), dtype)


def _write(matrices: Array, packed: Array, vectors: int, each: int) -> None:
    """Write matrices, or some panels of them, as panels [K / each, columns, each]."""
    groups, parts, depth, columns = (1,) * (4 - matrices.ndim) + matrices.shape
    size, words = vectors * LANES, depth // each
    whole = columns // size * size
    rest = padded_columns(columns - whole)
    panels = packed[:, : parts * depth * whole].reshape(groups, -1, parts, words, size, each)
    last = packed[:, parts * depth * whole :].reshape(groups, parts, words, rest, each)
    last[..., columns - whole :, :] = 0
    rows = matrices.reshape(groups, parts, words, each, columns)
    builder = Builder()
    for source, target in (
        (rows[..., :whole].reshape(groups, parts, words, each, -1, size).transpose(0, 4, 1, 2, 5, 3), panels),
        (rows[..., whole:].swapaxes(-2, -1), last[..., : columns - whole, :]),
    ):
        if source.size:
            emit_copy(builder, source, builder.view(target))
    run_at_once(builder)
