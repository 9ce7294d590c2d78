"""Convolution as a product of matrices for each tap, shifted and added up: for more channels than filters.

Nothing is copied but the products, which are fewer than the windows would be.
"""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.convolution_blocks import Finish, Geometry, block_rows, by_rows, matrix_of
from irrun.kernels.threads import Array, scratch
from irrun.kernels.transposing import taps_first


class Shifts:
    """Kernels of several elements without strides."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        filters = weights.shape[0]
        self.weights = taps_first(weights)
        bias = np.zeros(filters, weights.dtype) if finish.bias is None else finish.bias
        self.bias = np.tile(bias, geometry.counts[1])
        self.geometry = geometry
        self.finish = finish.without_bias()

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        taps, depth, _ = self.weights.shape
        most = block_rows(taps * self.geometry.sizes[1] * target.shape[-1], target.shape[2] * target.shape[3])
        by_rows(self._fill, self.finish, images, target, summand, most, taps * (0.01 * depth + 0.3))

    def _fill(self, image: Array, block: Array, first: int) -> None:
        """A few rows of the result, from the row ``first`` on."""
        rows, _, filters = block.shape
        height, width = self.geometry.sizes
        (top, left), (low, wide) = self.geometry.begins, self.geometry.dilations
        begin = min(max(first - top, 0), height)
        end = max(min(first + rows - top + (self.geometry.kernel[0] - 1) * low, height), begin)
        products = scratch("shifts", (len(self.weights), end - begin, width * filters), image.dtype)
        np.matmul(matrix_of(image[begin:end]), self.weights, out=products.reshape(len(products), -1, filters))
        total = block.reshape(rows, -1)
        total[:] = self.bias
        for tap, (y, x) in enumerate(np.ndindex(*self.geometry.kernel)):
            down, across = first + y * low - top - begin, x * wide - left
            here, there = _meeting(rows, down, end - begin)
            before, behind = _meeting(self.geometry.counts[1], across, width)
            part = total[here, before.start * filters : before.stop * filters]
            part += products[tap, there, behind.start * filters : behind.stop * filters]


def _meeting(count: int, shift: int, size: int) -> tuple[slice, slice]:
    """The places below ``count`` that lie within ``size`` when they are shifted, and where they lie then."""
    start = min(max(-shift, 0), count)
    stop = max(min(count, size - shift), start)
    return slice(start, stop), slice(start + shift, stop + shift)


def worth_shifts(geometry: Geometry, filters: int, depth: int) -> bool:
    """Whether there are so many channels that the windows would be much more than the products."""
    return geometry.strides == (1, 1) and math.prod(geometry.kernel) > 1 and 2 * filters <= depth
