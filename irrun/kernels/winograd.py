"""Convolution with 3 x 3 kernels by Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray, 2015).

A tile of 4 x 4 outputs needs 36 products for each pair of channels instead of 144. The transforms cost accuracy:
relative to the root of the sum of the squared products, the mean error is about 1e-6, two to five times that of a plain
sum in float32, and stays below 3e-5, ten times that of a plain sum.

A tile in which an element is infinite or NaN would be so throughout: its block is computed as a plain sum instead.
Weights are finite.

Data are [rows, columns, channels], so that all runs are long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.elementwise import Place, even
from irrun.kernels.threads import Array, are_products_shared, scratch
from irrun.kernels.windows import Geometry

TILE: Final = 4
"""Outputs of a tile along each axis; a tile reads two more elements."""

_LARGE_BLOCK: Final = 1 << 22
"""Elements of a block of transformed data and products, for a multi-threaded product."""

_CACHED_BLOCK: Final = 1 << 19
"""Elements of a block for a single-threaded product, which stays in the cache."""

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

_DATA: Final = _DATA64.astype(np.float32)
_RESULTS: Final = np.kron(_RESULT64, _RESULT64).astype(np.float32)
"""Both transforms of the result combined."""


def transform_weights(weights: Array) -> Array:
    """Transform weights [O, I, 3, 3] to 36 matrices [I, O], in the order of `transform_data`; a view."""
    filters, depth = weights.shape[:2]
    return (KERNELS @ weights.reshape(-1, 9).T).reshape(36, filters, depth).swapaxes(1, 2)


def transform_data(padded: Array, rows: int, columns: int, out: Array) -> None:
    """Transform tiles of data [4 * rows + 2, 4 * columns + 2, C] to 36 matrices [rows * columns, C] in ``out``.

    Matrix i * 6 + j of the transform is stored at j * 6 + i.
    """
    width, channels = padded.shape[1:]
    down, along, each = padded.strides
    strips = as_strided(padded, (rows, 6, width * channels), (TILE * down, down, each))
    mixed = scratch("winograd mixed", (6, rows, width * channels), np.float32)
    np.matmul(_DATA, strips, out=mixed.transpose(1, 0, 2))
    one, two = mixed.strides[:2]
    windows = as_strided(mixed, (6, 6, rows, columns, channels), (along, one, two, TILE * along, each))
    gathered = scratch("winograd gathered", windows.shape, np.float32)
    np.copyto(gathered, windows)
    np.matmul(_DATA, gathered.reshape(6, -1), out=out.reshape(6, -1))


def transform_result(products: Array, rows: int, columns: int) -> Array:
    """Transform 36 matrices [rows * columns, O] to a view [rows, 4, columns, 4, O] of the outputs, in workspace."""
    filters = products.shape[-1]
    result = scratch("winograd gathered", (16, rows * columns * filters), np.float32)
    np.matmul(_RESULTS, products.reshape(36, -1), out=result)
    return result.reshape(4, 4, rows, columns, filters).transpose(2, 1, 3, 0, 4)


def is_worth_tiles(counts: Sequence[int], batch: int, filters: int, depth: int) -> bool:
    """Return whether results [*counts] are computed faster by tiles, whose weights are four times as large."""
    tiles = batch * math.prod(-(-count // TILE) for count in counts)
    used = batch * math.prod(counts) / max(tiles * TILE * TILE, 1)
    return min(filters, depth) >= 32 and tiles >= max(32, filters // 24) and used > 0.6


class Tiles:
    """Convolution with 3 x 3 kernels without strides or dilations, by tiles; weights are [1, O, I, 3, 3]."""

    def __init__(self, weights: Array) -> None:
        self._source = weights[0]
        self.weights: Array = transform_weights(weights[0])

    def places(self, geometry: Geometry) -> Sequence[Place]:
        rows, columns = geometry.counts
        down, across = -(-rows // TILE), -(-columns // TILE)
        row = 36 * across * sum(self.weights.shape[1:])
        least = -(-_LEAST_BLOCK // across)
        most = _LARGE_BLOCK // row if are_products_shared() else max(_CACHED_BLOCK // row, least)
        step = TILE * even(down, most)
        return [(slice(first, min(first + step, rows)),) for first in range(0, rows, step)]

    def ends(self, geometry: Geometry) -> Sequence[int]:
        """Return the elements of padding that whole tiles read after an image."""
        return [end - count % -TILE for end, count in zip(geometry.ends, geometry.counts, strict=True)]

    def compute(self, image: Array, place: Place, geometry: Geometry, block: Array) -> None:  # noqa: ARG002
        rows, columns, filters = block.shape
        down, across = -(-rows // TILE), -(-columns // TILE)
        shape = (TILE * down, TILE * across, filters)
        part = image[place[0].start : place[0].start + shape[0] + 2]
        tiles = transform_result(self._multiply(part, down, across), down, across)
        whole = block if block.shape == shape else scratch("winograd whole", shape, np.float32)
        np.copyto(whole.reshape(down, TILE, across, TILE, filters), tiles)
        if whole is not block:
            np.copyto(block, whole[:rows, :columns])
        if not np.isfinite(block[::TILE, ::TILE, 0]).all():
            block[...] = 0
            for row, column in np.ndindex(3, 3):
                block += part[row : row + rows, column : column + columns] @ self._source[:, :, row, column].T

    def _multiply(self, part: Array, down: int, across: int) -> Array:
        _, depth, filters = self.weights.shape
        data = scratch("winograd data", (36, down * across, depth), np.float32)
        transform_data(part, down, across, data)
        products = scratch("winograd products", (36, down * across, filters), np.float32)
        return np.matmul(data, self.weights, out=products)
