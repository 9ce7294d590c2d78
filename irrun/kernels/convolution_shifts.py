"""Convolution as a product of matrices for each tap, shifted and added up: for more channels than filters.

Nothing is copied but the products, which are fewer than the windows would be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from irrun.kernels.convolution_blocks import Geometry, block_rows, by_rows, matrix_of
from irrun.kernels.epilogue import Epilogue
from irrun.kernels.threads import Array, scratch
from irrun.kernels.transposing import taps_first


class Shifts:
    """Kernels of several elements without strides."""

    def __init__(self, weights: Array, geometry: Geometry, epilogue: Epilogue) -> None:
        filters = weights.shape[0]
        self.weights = taps_first(weights)
        bias = np.zeros(filters, weights.dtype) if epilogue.bias is None else epilogue.bias
        self.bias = np.tile(bias, geometry.counts[1])
        self.geometry = geometry
        self.epilogue = epilogue.without_bias()
        self._places: dict[tuple[int, int], list[tuple[Any, Any]]] = {}

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        taps = len(self.weights)
        most = block_rows(taps * self.geometry.sizes[1] * target.shape[-1], target.shape[2] * target.shape[3])
        by_rows(self._compute, images, target, summand, most)

    def _compute(self, image: Array, block: Array, first: int, summand: Array | None) -> None:
        """A few rows of the result, from the row ``first`` on."""
        rows, _, filters = block.shape
        height, width = self.geometry.sizes
        top, low = self.geometry.begins[0], self.geometry.dilations[0]
        begin = min(max(first - top, 0), height)
        end = max(min(first + rows - top + (self.geometry.kernel[0] - 1) * low, height), begin)
        products = scratch("shifts", (len(self.weights), end - begin, width * filters), image.dtype)
        data = matrix_of(image[begin:end])
        np.matmul(data, self.weights, out=products.reshape(len(products), -1, filters))
        total = block.reshape(rows, -1)
        np.copyto(total, self.bias)
        for here, there in self._taps(first, rows, begin, end, filters):
            total[here] += products[there]
        self.epilogue.apply(block, summand)

    def _taps(self, first: int, rows: int, begin: int, end: int, filters: int) -> Sequence[tuple[Any, Any]]:
        """For each tap, what its products are added to, and which of them."""
        known = self._places.get((first, rows))
        if known is None:
            (top, left), (low, wide) = self.geometry.begins, self.geometry.dilations
            known = []
            for tap, (y, x) in enumerate(np.ndindex(*self.geometry.kernel)):
                here, there = _meeting(rows, first + y * low - top - begin, end - begin, 1)
                before, behind = _meeting(self.geometry.counts[1], x * wide - left, self.geometry.sizes[1], filters)
                known.append(((here, before), (tap, there, behind)))
            self._places[first, rows] = known
        return known


def _meeting(count: int, shift: int, size: int, each: int) -> tuple[slice, slice]:
    """The places below ``count`` that lie within ``size`` when they are shifted, and where they lie then.

    A place takes ``each`` elements.
    """
    start = min(max(-shift, 0), count)
    stop = max(min(count, size - shift), start)
    return slice(start * each, stop * each), slice((start + shift) * each, (stop + shift) * each)


def worth_shifts(geometry: Geometry, filters: int, depth: int) -> bool:
    """Whether there are so many channels that the windows would be much more than the products."""
    return geometry.strides == (1, 1) and math.prod(geometry.kernel) > 1 and 2 * filters <= depth
