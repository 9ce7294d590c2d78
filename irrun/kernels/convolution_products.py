"""Convolution as products of matrices: a kernel of one element, the windows side by side, groups of channels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from irrun.kernels.convolution_blocks import (
    Finish,
    Geometry,
    block_rows,
    by_rows,
    columns_of,
    matrix_of,
    windows_of,
)
from irrun.kernels.products import multiply
from irrun.kernels.threads import Array, processes, scratch, split
from irrun.kernels.transposing import taps_first, transposed

_FILTERS: Final = 16
"""Filters are shared in multiples of so many: a line of the cache."""

_PANEL: Final = 256
"""The most filters in a panel of weights."""


class Product:
    """Matrices [points, K] that are made block by block, times weights [K, O].

    Where there are fewer points than filters, the weights are kept as ``panels`` of some filters each: what one process
    of a crew reads of them, and what a product goes through row by row, then lies in memory without gaps.
    """

    def __init__(self, panels: Sequence[Array], finish: Finish) -> None:
        self.panels = panels
        self.ends = list(itertools.accumulate(panel.shape[1] for panel in panels))
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
        cost = 0.01 * inner + 0.5
        if processes() > 1 and len(self.panels) > 1 and target.flags.c_contiguous:
            self._by_filters(matrix, images, target, summand, cost)
            return

        def fill(image: Array, block: Array, first: int) -> None:
            self._multiply(matrix(image, first, first + len(block)), 0, block.reshape(-1, block.shape[-1]))

        most = block_rows(target.shape[2] * inner, target.shape[2] * target.shape[3])
        by_rows(fill, self.finish, images, target, summand, most, cost)

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
                block = target[number, ..., low:high]
                self._multiply(matrix(image, 0, target.shape[1]), low, block.reshape(-1, high - low))
                finish(block, None if summand is None else summand[number, ..., low:high])

        split(some, -(-filters // _FILTERS), cost * target.size)

    def _multiply(self, rows: Array, low: int, out: Array) -> None:
        """The results of the filters from ``low`` on, as many as fit into ``out``."""
        high = low + out.shape[1]
        for panel, end in zip(self.panels, self.ends, strict=True):
            start = end - panel.shape[1]
            first, last = max(low, start), min(high, end)
            if first < last:
                multiply(rows, panel[:, first - start : last - start], out[:, first - low : last - low])


def _panels(weights: Array, geometry: Geometry) -> list[Array]:
    """The filters [O, ...] in as many parts as there shall be panels."""
    filters = len(weights)
    if math.prod(geometry.counts) > filters:
        return [weights]
    width = -(-filters // (-(-filters // (2 * _PANEL)) * 2 * _FILTERS)) * _FILTERS
    return [weights[first : first + width] for first in range(0, filters, width)]


class Pointwise(Product):
    """A kernel of one element. ``least`` is what the data are raised to first, a number for each channel."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish, least: Array | None = None) -> None:
        parts = _panels(weights, geometry)
        super().__init__([transposed(part.reshape(part.shape[:2])) for part in parts], finish)
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
        self.spare = 0 if finish.bias is None else 1
        self.depth = math.prod(weights.shape[1:]) + self.spare
        panels, begin = [], 0
        for part in _panels(weights, geometry):
            panel = np.empty((self.depth, len(part)), weights.dtype)
            panel[: self.depth - self.spare] = taps_first(part).reshape(-1, len(part))
            if finish.bias is not None:
                panel[-1] = finish.bias[begin : begin + len(part)]
            panels.append(panel)
            begin += len(part)
        super().__init__(panels, finish.without_bias())
        self.geometry = geometry

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        def columns(image: Array, first: int, last: int) -> Array:
            matrix = columns_of(image, self.geometry, first, last, self.spare)
            matrix[:, matrix.shape[1] - self.spare :] = 1
            return matrix

        self.run_blocks(columns, images, target, summand, self.depth)


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
        by_rows(self._fill, self.finish, images, target, summand, most, 0.02 * inner + 1.0)

    def _fill(self, image: Array, block: Array, first: int) -> None:
        rows, columns = block.shape[:2]
        groups, _, each = self.weights.shape
        product = block.reshape(rows * columns, groups, each).transpose(1, 0, 2)
        multiply(self._matrices(image, first, rows), self.weights, product)

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
