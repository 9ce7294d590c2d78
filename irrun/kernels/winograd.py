"""Convolution with kernels of 3 by 3 elements by Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray, 2015).

A tile of 4 x 4 outputs takes 36 products for each pair of channels instead of 144. The transforms add and multiply by
up to 8, which costs accuracy: against the exact result the error is about 2e-6 of the root of the sum of the squared
products in the mean, and stays below 4e-5 of it, some ten times what a plain sum in float32 loses.

Data are [rows, columns, channels]: everything is then made of long runs.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.threads import Array, scratch

TILE: Final = 4
"""Outputs of a tile along each axis; it reads two more elements."""

_DATA: Final = np.array(
    [
        [4, 0, -5, 0, 1, 0],
        [0, -4, -4, 1, 1, 0],
        [0, 4, -4, -1, 1, 0],
        [0, -2, -1, 2, 1, 0],
        [0, 2, -1, -2, 1, 0],
        [0, 4, 0, -5, 0, 1],
    ],
    np.float32,
)
_KERNEL: Final = np.array(
    [[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]],
    np.float64,
) / np.array([24], np.float64)
_RESULT: Final = np.array(
    [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]],
    np.float32,
)


def transform_weights(weights: Array) -> Array:
    """Weights [O, I, 3, 3] as 36 matrices [I, O], in the order in which `transform_data` makes its matrices."""
    filters, depth = weights.shape[:2]
    taps = weights.astype(np.float64).reshape(filters * depth, 9)
    product = np.kron(_KERNEL, _KERNEL) @ taps.T
    square = product.reshape(6, 6, filters, depth).transpose(1, 0, 3, 2)
    return np.ascontiguousarray(square, np.float32).reshape(36, depth, filters)


def transform_data(padded: Array, rows: int, columns: int, out: Array) -> None:
    """Tiles of data [4 * rows + 2, 4 * columns + 2, C] as 36 matrices [rows * columns, C], written to ``out``."""
    width, channels = padded.shape[1:]
    down, along, each = padded.strides
    strips = as_strided(padded, (rows, 6, width * channels), (TILE * down, down, each))
    mixed = scratch("winograd mixed", (6, rows, width * channels), np.float32)
    np.matmul(_DATA, strips, out=mixed.transpose(1, 0, 2))
    first, second = mixed.strides[:2]
    windows = as_strided(mixed, (6, 6, rows, columns, channels), (along, first, second, TILE * along, each))
    gathered = scratch("winograd gathered", windows.shape, np.float32)
    np.copyto(gathered, windows)
    np.matmul(_DATA, gathered.reshape(6, -1), out=out.reshape(6, -1))


def transform_result(products: Array, rows: int, columns: int) -> Array:
    """36 matrices [rows * columns, O] as a view [rows, 4, columns, 4, O] of the outputs, in memory of the thread."""
    filters = products.shape[-1]
    points = rows * columns * filters
    mixed = scratch("winograd mixed", (4, 6 * points), np.float32)
    np.matmul(_RESULT, products.reshape(6, 6 * points), out=mixed)
    result = scratch("winograd gathered", (4, 4, points), np.float32)
    np.matmul(_RESULT, mixed.reshape(4, 6, points), out=result)
    return result.reshape(4, 4, rows, columns, filters).transpose(2, 1, 3, 0, 4)
