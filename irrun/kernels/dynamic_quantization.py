"""Products of activations that are rounded to 8 bits on the way, and weights that are stored in 4 or 8 bits.

The elements of a row are rounded in groups: the largest magnitude of a group is 127 steps. Sums of products of integers
are exact, as far as both scales are the same; they are multiplied by both and added in f32, from the first group on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irrun.kernels.lookup import Lookup, Nibbles
from irrun.kernels.packed_product import PackedMatrix
from irrun.kernels.threads import Array

MOST = 127
"""The level of the largest magnitude of a group."""

_EXACT = 1 << 24
"""The integers up to which f32 holds all."""


class Groups(NamedTuple):
    """Elements of a row that have a common scale, and those of them that have a common scale in a column, too."""

    size: int
    part: int


def groups_of(size: int, depth: int, of_weights: int) -> Groups:
    """Return groups of at most ``size`` elements that are whole groups of the weights, or parts of one."""
    size = min(size, depth)
    if size % of_weights and of_weights % size:
        size = math.gcd(size, of_weights)
    return Groups(size, min(size, of_weights))


def codes_of(stored: Array | Nibbles) -> tuple[int, int]:
    """Return the bits that codes take, and the number in their middle, which is subtracted from them."""
    if isinstance(stored, Nibbles):
        return 4, 0 if stored.signed else 8
    low, high = int(stored.min()), int(stored.max())
    if high - low < 16:
        return 4, low + 8 if low < -8 or high > 7 else 0
    return 8, 128 if high > 127 else 0


def quantized(x: Array, size: int) -> tuple[Array, Array]:
    """Return rows of f32 as integers from -127 to 127, in f32, and the scale of each group.

    Ties are rounded to even. The scale of a group with an element that is not finite is NaN.
    """
    rows, depth = x.shape
    count = -(-depth // size)
    padded = np.zeros((rows, count, size), np.float32)
    padded.reshape(rows, -1)[:, :depth] = x
    largest = np.abs(padded).max(2)
    with np.errstate(all="ignore"):
        is_finite = np.isfinite(largest)
        inverse = np.where(is_finite & (largest > 0), np.float32(MOST) / largest, np.float32(0))
        levels = np.where(is_finite[:, :, np.newaxis], np.rint(padded * inverse[:, :, np.newaxis]), np.float32(0))
        scales = np.where(is_finite, largest / np.float32(MOST), np.float32(np.nan))
    return np.clip(levels, -MOST, MOST).reshape(rows, -1)[:, :depth], scales


def product(a: Array, matrix: PackedMatrix, size: int) -> Array:
    """Return a · matrix, with rows of ``a`` [M, K] rounded in groups."""
    stored = matrix.stored
    assert not isinstance(stored, Lookup)
    columns, count, each = stored.shape
    groups = groups_of(size, count * each, each)
    levels, scales = quantized(a, groups.size)
    _, centre = codes_of(stored)
    zeros = matrix.zero - np.float32(centre)
    of_columns = np.ones((columns, count), np.float32) if matrix.scale is None else matrix.scale
    wide = np.float32 if MOST * 256 * groups.part < _EXACT else np.float64
    out = np.zeros((len(a), columns), np.float32)
    for first in range(0, count * each, groups.part):
        part, group = slice(first, first + groups.part), first // each
        within = slice(first % each, first % each + groups.part)
        codes = (stored[:][:, group, within].astype(np.int16) - centre).astype(wide)
        sums = np.matmul(levels[:, part].astype(wide), codes.T).astype(np.float32)
        sums -= levels[:, part].sum(1, dtype=np.float32)[:, np.newaxis] * zeros[:, group]
        out += sums * (scales[:, first // groups.size, np.newaxis] * of_columns[:, group])
    return out
