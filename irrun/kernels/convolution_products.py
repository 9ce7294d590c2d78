"""Convolution as matrix products: each window becomes the row of a matrix (im2col)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Final

import numpy as np

from irrun.kernels.convolution_blocks import Blocks, Place, parts, windows_of
from irrun.kernels.epilogue import Epilogue
from irrun.kernels.threads import Array, are_products_shared, scratch
from irrun.kernels.transposing import taps_first
from irrun.kernels.windows import Geometry

_LARGE_BLOCK: Final = 1 << 21
"""Elements of a matrix built for a product; with fewer, the product is too small for several threads."""

_CACHED_BLOCK: Final = 1 << 18
"""Elements of a matrix and its result in a single-threaded product, so that both stay in the cache."""

_LEAST_POINTS: Final = 32
"""Rows of a matrix; with fewer, reading the weights takes longer than multiplying."""


class Products(Blocks):
    """Multiplies the windows of each group [points, K * I] by weights [K * I, O / G].

    ``least`` [C] is a lower bound that data are clipped to first, one for each channel.
    """

    def __init__(self, weights: Array, geometry: Geometry, epilogue: Epilogue, least: Array | None = None) -> None:
        super().__init__(geometry, epilogue)
        self.source = weights
        self.least = least
        self.in_rows: bool = not geometry.is_pointwise

    @cached_property
    def weights(self) -> Array:
        """The matrices [G, K * I, O / G], computed on first use; a view for kernels of one element."""
        groups, filters, *inner = self.source.shape
        if not self.in_rows:
            return self.source.reshape(groups, filters, math.prod(inner)).swapaxes(1, 2)
        return np.stack([taps_first(part).reshape(math.prod(inner), filters) for part in self.source])

    def places(self) -> Iterator[Place]:
        groups, filters, *inner = self.source.shape
        read = groups * math.prod(inner)
        most = _LARGE_BLOCK // max(read, 1) if are_products_shared() else _CACHED_BLOCK // (read + groups * filters)
        return parts(self.geometry.counts, max(most, _LEAST_POINTS))

    def compute(self, part: Array, block: Array) -> None:
        groups, inner, filters = self.weights.shape
        *counts, _ = block.shape
        points = math.prod(counts)
        if self.in_rows:
            windows = windows_of(part, self.geometry, counts)
        else:
            windows = part[tuple(slice(None, None, step) for step in self.geometry.strides)]
        if self.in_rows or self.least is not None or not _is_matrix(windows):
            by_group = windows.reshape(*windows.shape[:-1], groups, windows.shape[-1] // groups)
            by_group = by_group.transpose(-2, *range(windows.ndim - 1), -1)
            matrices = scratch("columns", by_group.shape, windows.dtype)
            if self.least is None:
                np.copyto(matrices, by_group)
            else:
                np.maximum(by_group, self.least, out=matrices)
            matrices = matrices.reshape(groups, points, inner)
        else:
            matrices = windows.reshape(points, groups, inner).swapaxes(0, 1)
        np.matmul(matrices, self.weights, out=block.reshape(points, groups, filters).swapaxes(0, 1))


def _is_matrix(windows: Array) -> bool:
    """Return whether elements [*counts, C] can be viewed as a matrix [points, C] that BLAS accepts."""
    long = [axis for axis, size in enumerate(windows.shape[:-1]) if size > 1]
    steps = [windows.strides[axis] for axis in long]
    runs = zip(steps, steps[1:], long[1:], strict=False)
    is_run = all(outer == step * windows.shape[axis] for outer, step, axis in runs)
    return is_run and windows.itemsize in (windows.strides[-1], *steps[-1:])
