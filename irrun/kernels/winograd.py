"""Convolution with 3 x 3 kernels by Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray, 2015).

A tile of 4 x 4 outputs needs 36 products for each pair of channels instead of 144. The transforms cost accuracy:
relative to the root of the sum of the squared products, the mean error is about 1e-6, two to five times that of a plain
sum in float32, and stays below 3e-5, ten times that of a plain sum.

An infinite element, or NaN, would spread over its tile: data and weights are finite.

Data are [rows, columns, channels], so that all runs are long.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.elementwise import Place, even
from irrun.kernels.threads import Array, scratch
from irrun.kernels.windows import Geometry, padded_image

TILE: Final = 4
"""Outputs of a tile along each axis; a tile reads two more elements."""

_BLOCK: Final = 1 << 20
"""Elements of a block of transformed data and products."""

_LEAST_BLOCK: Final = 96
"""Tiles in a block; with fewer, reading the weights takes longer than multiplying."""

POINTS: Final = (0.0, 0.625, -0.625, 1.5, -1.5)
"""The points at which the polynomials are evaluated, besides infinity.

The transforms are products of dense matrices, so that the points may be chosen for accuracy: 0, ±1, ±2 lose three times
as much. All powers of the points that occur are exact in float32.
"""


def _transforms(points: Sequence[float]) -> tuple[Array, Array, Array]:
    """Return the matrices of data [6, 6], kernel [6, 3] and result [4, 6] by Cook and Toom, in float64.

    Row i of the data matrix holds the coefficients of the polynomial that is zero at all points but number i.
    """
    count = len(points)
    data, kernel, result = np.zeros((count + 1, count + 1)), np.zeros((count + 1, 3)), np.zeros((4, count + 1))
    for index, point in enumerate(points):
        others = [other for other in points if other != point]
        data[index, :count] = np.poly(others)[::-1]
        kernel[index] = point ** np.arange(3) / math.prod(point - other for other in others)
        result[:, index] = point ** np.arange(4)
    data[count] = np.poly(points)[::-1]
    kernel[count, 2] = result[3, count] = 1
    return data, kernel, result


_DATA64, _KERNEL, _RESULT64 = _transforms(POINTS)
KERNELS: Final = np.kron(_KERNEL, _KERNEL).reshape(6, 6, 9).swapaxes(0, 1).reshape(36, 9).astype(np.float32)
"""The transform of a kernel, in the order of `transform_data`."""

_DATA: Final = np.kron(_DATA64, _DATA64).astype(np.float32)
_RESULTS: Final = np.kron(_RESULT64, _RESULT64).astype(np.float32)
"""Both transforms of the data, and of the result, combined."""


def transform_weights(weights: Array) -> Array:
    """Transform weights [O, I, 3, 3] to 36 matrices [I, O], in the order of `transform_data`; a view."""
    filters, depth = weights.shape[:2]
    return (KERNELS @ weights.reshape(-1, 9).T).reshape(36, filters, depth).swapaxes(1, 2)


def is_worth_tiles(counts: Sequence[int], batch: int, filters: int, depth: int) -> bool:
    """Return whether results [*counts] are computed faster by tiles, whose weights are four times as large."""
    tiles = batch * math.prod(-(-count // TILE) for count in counts)
    used = batch * math.prod(counts) / max(tiles * TILE * TILE, 1)
    return min(filters, depth) >= 32 and tiles >= max(32, filters // 24) and used > 0.6


def multiply_tiles(weights: Array, image: Array, geometry: Geometry, result: Array) -> Iterator[Place]:
    """Convolve an image with 3 x 3 kernels, without strides or dilations, by transformed weights [36, I, O]."""
    rows, columns, filters = result.shape
    down, across = -(-rows // TILE), -(-columns // TILE)
    bottom, right = geometry.ends
    padded = padded_image(image, geometry, (bottom + TILE * down - rows, right + TILE * across - columns))
    step = even(down, max(_BLOCK // (36 * across * sum(weights.shape[1:])), -(-_LEAST_BLOCK // across)))
    for first in range(0, down, step):
        strips = min(step, down - first)
        data = transform_data(padded[TILE * first : TILE * (first + strips) + 2], strips, across)
        products = scratch("winograd products", (36, strips * across, filters), np.float32)
        np.matmul(data, weights, out=products)
        outputs = scratch("winograd windows", (TILE, TILE, strips, across, filters), np.float32)
        np.matmul(_RESULTS, products.reshape(36, -1), out=outputs.reshape(TILE * TILE, -1))
        place = (slice(TILE * first, min(TILE * (first + strips), rows)),)
        block = result[place]
        tiles = scratch("winograd tiles", (strips, TILE, across, TILE, filters), np.float32)
        np.copyto(tiles, outputs.transpose(2, 1, 3, 0, 4))
        np.copyto(block, tiles.reshape(TILE * strips, TILE * across, filters)[: len(block), :columns])
        yield place


def transform_data(padded: Array, rows: int, columns: int) -> Array:
    """Transform tiles of data [4 * rows + 2, 4 * columns + 2, C] to 36 matrices [rows * columns, C].

    Matrix i * 6 + j of the transform is stored at j * 6 + i.
    """
    down, along, each = padded.strides
    windows = scratch("winograd windows", (6, 6, rows, columns, padded.shape[2]), np.float32)
    np.copyto(windows, as_strided(padded, windows.shape, (along, down, TILE * down, TILE * along, each)))
    out = scratch("winograd data", (36, rows * columns, padded.shape[2]), np.float32)
    np.matmul(_DATA, windows.reshape(36, -1), out=out.reshape(36, -1))
    return out
