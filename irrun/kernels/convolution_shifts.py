"""Convolution as one matrix product for each tap, shifted and summed: for more channels than filters.

Only the products are stored, which are smaller than the windows.
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
    """Convolution with kernels of several elements and without strides."""

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
        """Compute some rows of the result, from the row ``first`` on."""
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
        """Return, for each tap, the slice of the result to add its products to, and the slice of the products."""
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
    """Return the places below ``count`` that stay within ``size`` after a shift, and the shifted places, as slices.

    A place consists of ``each`` elements.
    """
    start = min(max(-shift, 0), count)
    stop = max(min(count, size - shift), start)
    return slice(start * each, stop * each), slice((start + shift) * each, (stop + shift) * each)


def worth_shifts(geometry: Geometry, filters: int, depth: int) -> bool:
    """Return whether there are enough channels that the windows would be much larger than the products."""
    return geometry.strides == (1, 1) and math.prod(geometry.kernel) > 1 and 2 * filters <= depth
