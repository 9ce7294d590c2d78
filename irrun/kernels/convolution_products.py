"""Convolution as products of matrices: a kernel of one element, the windows side by side, groups of channels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final

import numpy as np

from irrun.kernels.blas import LANES
from irrun.kernels.calls import Call, Filled, Recorded, call
from irrun.kernels.constant_matrix import ConstantMatrix
from irrun.kernels.convolution_blocks import (
    Geometry,
    block_rows,
    by_rows,
    columns_of,
    matrix_of,
    windows_of,
)
from irrun.kernels.finish import Finish
from irrun.kernels.products import multiplying
from irrun.kernels.threads import Array, processes, scratch, split
from irrun.kernels.transposing import taps_first

_FEW_POINTS: Final = 128
"""Points from which on each process rather reads all of the weights than all of the data."""


class Product:
    """Matrices [points, K] that are made block by block, times weights [K, O]."""

    def __init__(self, weights: ConstantMatrix, geometry: Geometry, finish: Finish) -> None:
        self.weights = weights
        self.geometry = geometry
        self.finish = finish

    def matrix(self, image: Array, first: int, last: int) -> Filled:
        """What the weights are multiplied with for some rows of the result."""
        raise NotImplementedError

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        depth, filters = self.weights.shape
        cost = 0.01 * depth + 0.5
        points = math.prod(target.shape[1:3])
        if processes() > 1 and points < min(filters, _FEW_POINTS) and target.flags.c_contiguous:
            self._by_filters(images, target, summand, cost)
            return

        def compute(image: Array, block: Array, first: int, added: Array | None) -> Iterator[Call]:
            matrix = yield from self.matrix(image, first, first + len(block))
            yield from self.weights.product(matrix, block, self.finish, added)

        most = block_rows(target.shape[2] * depth, target.shape[2] * filters)
        by_rows(compute, images, target, summand, most, cost, repeatable=True)

    def _by_filters(self, images: Array, target: Array, summand: Array | None, cost: float) -> None:
        """Shared so that each process reads a part of the weights only: they are more than the data."""
        filters = target.shape[3]

        def some(begin: int, end: int) -> Iterator[Call]:
            low, high = LANES * begin, min(LANES * end, filters)
            finish = self.finish.of_filters(low, high)
            for number, image in enumerate(images):
                added = None if summand is None else summand[number, ..., low:high]
                matrix = yield from self.matrix(image, 0, target.shape[1])
                yield from self.weights.product(matrix, target[number, ..., low:high], finish, added, low, high)

        split(Recorded(some), -(-filters // LANES), cost * target.size, repeatable=True)


class Pointwise(Product):
    """A kernel of one element. ``least`` is what the data are raised to first, a number for each channel."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish, least: Array | None = None) -> None:
        super().__init__(ConstantMatrix.of(weights.reshape(weights.shape[:2]).T), geometry, finish)
        self.least = least

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        strides, counts = self.geometry.strides, self.geometry.counts
        images = images[:, :: strides[0], :: strides[1]][:, : counts[0], : counts[1]]
        given = [part for part in (images, target, summand) if part is not None]
        if self.geometry.is_dense and all(part.strides[1] == part.shape[2] * part.strides[2] for part in given):
            images, target = _as_points(images), _as_points(target)
            summand = None if summand is None else _as_points(summand)
        super().run(images, target, summand)

    def matrix(self, image: Array, first: int, last: int) -> Filled:
        part = image[first:last]
        if self.least is not None:
            raised = scratch("columns", part.shape, part.dtype)
            yield call(partial(np.maximum, out=raised), part, self.least)
            part = raised
        return (yield from matrix_of(part))


def _as_points(images: Array) -> Array:
    """[N, H, W, C] as [N, H * W, 1, C]."""
    return images.reshape(images.shape[0], -1, 1, images.shape[3])


class Columns(Product):
    """The windows side by side as the rows of a matrix."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        filters, depth = len(weights), math.prod(weights.shape[1:])

        def make() -> Array:
            return taps_first(weights).reshape(depth, filters)

        super().__init__(ConstantMatrix(make, (depth, filters), weights.dtype), geometry, finish)

    def matrix(self, image: Array, first: int, last: int) -> Filled:
        return columns_of(image, self.geometry, first, last)


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
        most = block_rows(target.shape[2] * groups * inner, target.shape[2] * target.shape[3])
        by_rows(self._compute, images, target, summand, most, 0.02 * inner + 1.0, repeatable=True)

    def _compute(self, image: Array, block: Array, first: int, summand: Array | None) -> Iterator[Call]:
        rows, columns = block.shape[:2]
        groups, _, each = self.weights.shape
        product = block.reshape(rows * columns, groups, each).transpose(1, 0, 2)
        matrices = yield from self._matrices(image, first, rows)
        yield from multiplying(matrices, self.weights, product)
        yield from self.finish.end(block, summand)

    def _matrices(self, image: Array, first: int, rows: int) -> Filled:
        """The windows of some rows, group by group: [groups, rows * columns, *K * I]."""
        windows = yield from windows_of(image, self.geometry, first, first + rows)
        rows, columns, high, wide, _ = windows.shape
        groups, inner, _ = self.weights.shape
        if inner == self.depth:
            points = yield from matrix_of(windows[:, :, 0, 0])
            return points.reshape(rows * columns, groups, self.depth).transpose(1, 0, 2)
        matrices = scratch("grouped", (groups, rows, columns, high, wide, self.depth), image.dtype)
        apart = windows.reshape(rows, columns, high, wide, groups, self.depth)
        yield call(np.copyto, matrices, apart.transpose(4, 0, 1, 2, 3, 5))
        return matrices.reshape(groups, rows * columns, inner)
