"""Transposed copies of large matrices, tile by tile: copying by rows would miss the cache at each element."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irrun.kernels.threads import Array

_TILE: Final = 64


def transposed(matrix: Array) -> Array:
    """Return a contiguous copy of [M, N] as [N, M]."""
    rows, columns = matrix.shape
    out = np.empty((columns, rows), matrix.dtype)
    for row in range(0, rows, _TILE):
        for column in range(0, columns, _TILE):
            out[column : column + _TILE, row : row + _TILE] = matrix[row : row + _TILE, column : column + _TILE].T
    return out


def taps_first(weights: Array) -> Array:
    """Return weights [O, I, *K] as a contiguous copy [prod(K), I, O]."""
    filters, depth, *kernel = weights.shape
    taps = math.prod(kernel)
    by_channel = transposed(weights.reshape(filters, depth * taps)).reshape(depth, taps, filters)
    return np.ascontiguousarray(by_channel.swapaxes(0, 1))
