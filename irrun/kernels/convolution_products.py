"""Convolution as products of matrices: a kernel of one element, the windows side by side, groups of channels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from irrun.kernels.convolution_blocks import (
    Finish,
    Geometry,
    block_elements,
    by_rows,
    columns_of,
    matrix_of,
    windows_of,
)
from irrun.kernels.threads import Array, processes, scratch, split
from irrun.kernels.transposing import taps_first, transposed

_FILTERS: Final = 16
"""Filters are shared in multiples of so many: a line of the cache."""


class Product:
    """Matrices [points, K] that are made block by block, times weights [K, O]."""

    def __init__(self, weights: Array, finish: Finish) -> None:
        self.weights = weights
        self.finish = finish

    def run_blocks(
        self,
        matrix: Callable[[Array, int, int], Array],
        images: Array,
        target: Array,
        summand: Array | None,
        inner: int,
    ) -> None:
        """``matrix(image, first, last)`` is what makes these rows of the result: ``inner`` elements for each point."""
        points, filters = math.prod(target.shape[:3]), target.shape[3]
        cost = 0.01 * inner + 0.5
        if processes() > 1 and points <= filters and target.flags.c_contiguous:
            self._by_filters(matrix, images, target, summand, cost)
            return

        def fill(image: Array, block: Array, first: int) -> None:
            rows = matrix(image, first, first + len(block))
            np.matmul(rows, self.weights, out=block.reshape(-1, block.shape[-1]))

        by_rows(fill, self.finish, images, target, summand, block_elements() // (target.shape[2] * inner), cost)

    def _by_filters(
        self,
        matrix: Callable[[Array, int, int], Array],
        images: Array,
        target: Array,
        summand: Array | None,
        cost: float,
    ) -> None:
        """Shared so that each process reads a part of the weights only: they are more than the data."""
        filters = target.shape[3]

        def some(begin: int, end: int) -> None:
            low, high = _FILTERS * begin, min(_FILTERS * end, filters)
            finish = self.finish.of_filters(low, high)
            for number, image in enumerate(images):
                rows = matrix(image, 0, target.shape[1])
                block = target[number, ..., low:high]
                np.matmul(rows, self.weights[:, low:high], out=block.reshape(-1, high - low))
                finish(block, None if summand is None else summand[number, ..., low:high])

        split(some, -(-filters // _FILTERS), cost * target.size)


class Pointwise(Product):
    """A kernel of one element. ``least`` is what the data are raised to first, a number for each channel."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish, least: Array | None = None) -> None:
        filters, depth = weights.shape[:2]
        super().__init__(transposed(weights.reshape(filters, depth)), finish)
        self.geometry = geometry
        self.least = least

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        strides, counts = self.geometry.strides, self.geometry.counts
        images = images[:, :: strides[0], :: strides[1]][:, : counts[0], : counts[1]]
        given = [part for part in (images, target, summand) if part is not None]
        if self.geometry.is_dense and all(part.strides[1] == part.shape[2] * part.strides[2] for part in given):
            images, target = _as_points(images), _as_points(target)
            summand = None if summand is None else _as_points(summand)
        self.run_blocks(self._matrix, images, target, summand, images.shape[-1])

    def _matrix(self, image: Array, first: int, last: int) -> Array:
        part = image[first:last]
        if self.least is not None:
            part = np.maximum(part, self.least, out=scratch("columns", part.shape, part.dtype))
        return matrix_of(part)


def _as_points(images: Array) -> Array:
    """[N, H, W, C] as [N, H * W, 1, C]."""
    return images.reshape(images.shape[0], -1, 1, images.shape[3])


class Columns(Product):
    """The windows side by side as the rows of a matrix; a last element of one brings the bias in."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        taps = taps_first(weights).reshape(-1, weights.shape[0])
        matrix = taps if finish.bias is None else np.vstack([taps, finish.bias])
        super().__init__(matrix, finish.without_bias())
        self.spare = len(matrix) - len(taps)
        self.geometry = geometry

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        def columns(image: Array, first: int, last: int) -> Array:
            matrix = columns_of(image, self.geometry, first, last, self.spare)
            matrix[:, matrix.shape[1] - self.spare :] = 1
            return matrix

        self.run_blocks(columns, images, target, summand, len(self.weights))


class Grouped:
    """Groups of several channels: a product of matrices for each."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        groups, filters, depth = weights.shape[:3]
        self.weights = np.ascontiguousarray(weights.transpose(0, 3, 4, 2, 1)).reshape(groups, -1, filters)
        self.depth = depth
        self.geometry = geometry
        self.finish = finish

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        groups, inner, _ = self.weights.shape
        most = block_elements() // (target.shape[2] * groups * inner)
        by_rows(self._fill, self.finish, images, target, summand, most, 0.02 * inner + 1.0)

    def _fill(self, image: Array, block: Array, first: int) -> None:
        rows, columns = block.shape[:2]
        groups, _, each = self.weights.shape
        product = block.reshape(rows * columns, groups, each).transpose(1, 0, 2)
        np.matmul(self._matrices(image, first, rows), self.weights, out=product)

    def _matrices(self, image: Array, first: int, rows: int) -> Array:
        """The windows of some rows, group by group: [groups, rows * columns, *K * I]."""
        windows = windows_of(image, self.geometry, first, first + rows)
        rows, columns, high, wide, _ = windows.shape
        groups, inner, _ = self.weights.shape
        if inner == self.depth:
            points = matrix_of(windows[:, :, 0, 0])
            return points.reshape(rows * columns, groups, self.depth).transpose(1, 0, 2)
        matrices = scratch("grouped", (groups, rows, columns, high, wide, self.depth), image.dtype)
        apart = windows.reshape(rows, columns, high, wide, groups, self.depth)
        np.copyto(matrices, apart.transpose(4, 0, 1, 2, 3, 5))
        return matrices.reshape(groups, rows * columns, inner)
