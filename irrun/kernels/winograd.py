"""Convolution with kernels of 3 by 3 elements by Winograd's minimal filtering F(4x4, 3x3) (Lavin and Gray, 2015).

A tile of 4 x 4 outputs takes 36 products for each pair of channels instead of 144. The transforms cost accuracy:
relative to the root of the sum of the squared products the error is about 1e-6 in the mean, two to five times that of a
plain sum in float32, and stays below 3e-5, ten times that of a plain sum.

Data are [rows, columns, channels]: everything is then made of long runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.convolution_blocks import Finish, Geometry, even, padded_rows
from irrun.kernels.threads import Array, scratch
from irrun.kernels.transposing import transposed

TILE: Final = 4
"""Outputs of a tile along each axis; it reads two more elements."""

_WINOGRAD_ELEMENTS: Final = 1 << 22
"""Elements of a block of transformed data and products."""

_WEIGHTS_ELEMENTS: Final = 1 << 18
"""Elements of the weights that are transformed at a time."""

_POINTS: Final = (0.0, 0.625, -0.625, 1.5, -1.5)
"""Where the polynomials are evaluated, besides infinity. The transforms are products of dense matrices, so the points
may be chosen for accuracy: 0, ±1, ±2 lose three times as much. All of their powers that occur are exact in float32."""


def _transforms(points: Sequence[float]) -> tuple[Array, Array, Array]:
    """The matrices of data [6, 6], kernel [6, 3] and result [4, 6] by Cook and Toom, in float64.

    Row i of the first holds the coefficients of the polynomial that is zero at all points but number i.
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


_DATA64, _KERNEL, _RESULT64 = _transforms(_POINTS)
_KERNELS: Final = np.kron(_KERNEL, _KERNEL).reshape(6, 6, 9).swapaxes(0, 1).reshape(36, 9)
_DATA: Final = _DATA64.astype(np.float32)
_RESULTS: Final = np.hstack([np.kron(_RESULT64, _RESULT64), np.ones((16, 1))]).astype(np.float32)
"""Both transforms of the result at once, and one for what is added to it."""


def transform_weights(weights: Array) -> Array:
    """Weights [O, I, 3, 3] as 36 matrices [I, O], in the order in which `transform_data` makes its matrices.

    Transposed before the transform, when they are four times fewer.
    """
    filters, depth = weights.shape[:2]
    taps = transposed(weights.reshape(filters, -1)).reshape(depth, 9, filters)
    out = np.empty((36, depth, filters), np.float32)
    step = max(_WEIGHTS_ELEMENTS // (36 * filters), 1)
    for start in range(0, depth, step):
        products = _KERNELS @ taps[start : start + step].astype(np.float64)
        out[:, start : start + step] = products.swapaxes(0, 1)
    return out


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
    """36 matrices [rows * columns, O] as a view [rows, 4, columns, 4, O] of the outputs, in memory of the thread.

    A 37th matrix is added to each of the outputs.
    """
    filters = products.shape[-1]
    result = scratch("winograd gathered", (16, rows * columns * filters), np.float32)
    np.matmul(_RESULTS[:, : len(products)], products.reshape(len(products), -1), out=result)
    return result.reshape(4, 4, rows, columns, filters).transpose(2, 1, 3, 0, 4)


class Winograd:
    """3 x 3 without strides or dilations, by tiles."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        filters, depth = weights.shape[:2]
        self.geometry = geometry
        self.bias = finish.bias
        self.finish = finish.without_bias()
        self.tiles = _, across = tuple(-(-count // TILE) for count in geometry.counts)
        self.most = _WINOGRAD_ELEMENTS // (36 * across * (depth + filters))
        self.weights = transform_weights(weights)

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        down = self.tiles[0]
        step = even(down, self.most)
        for number, image in enumerate(images):
            part = None if summand is None else summand[number]
            for row in range(0, down, step):
                self._block(image, target[number], part, row, min(row + step, down))

    def _block(self, image: Array, target: Array, summand: Array | None, first: int, last: int) -> None:
        """A few rows of tiles."""
        rows, across = last - first, self.tiles[1]
        depth, filters = image.shape[-1], target.shape[-1]
        points = rows * across
        padded = padded_rows(image, self.geometry, TILE * first, TILE * rows + 2, TILE * across + 2)
        data = scratch("winograd data", (36, points, depth), np.float32)
        transform_data(padded, rows, across, data)
        bias = self.bias
        products = scratch("winograd products", (36 if bias is None else 37, points, filters), np.float32)
        np.matmul(data, self.weights, out=products[:36])
        if bias is not None:
            products[36] = bias
        tiles = transform_result(products, rows, across)
        height, width = min(TILE * rows, self.geometry.counts[0] - TILE * first), self.geometry.counts[1]
        wanted = target[TILE * first : TILE * first + height]
        direct = wanted.flags.c_contiguous and wanted.shape[:2] == (TILE * rows, TILE * across)
        whole = wanted if direct else scratch("result", (TILE * rows, TILE * across, filters), np.float32)
        np.copyto(whole.reshape(rows, TILE, across, TILE, filters), tiles)
        cut = whole[:height, :width]
        self.finish(whole, None if summand is None else summand[TILE * first : TILE * first + height])
        if not direct:
            np.copyto(wanted, cut)
