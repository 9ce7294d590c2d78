"""Convolution of groups of channels as matrix products."""

from __future__ import annotations

import numpy as np

from irrun.kernels.convolution_blocks import Geometry, block_rows, by_rows, matrix_of, windows_of
from irrun.kernels.epilogue import Epilogue
from irrun.kernels.threads import Array, scratch


class Grouped:
    """Groups of several channels, with one matrix product for each."""

    def __init__(self, weights: Array, geometry: Geometry, epilogue: Epilogue) -> None:
        groups, filters, depth = weights.shape[:3]
        self.weights = np.ascontiguousarray(weights.transpose(0, 3, 4, 2, 1)).reshape(groups, -1, filters)
        self.depth = depth
        self.geometry = geometry
        self.epilogue = epilogue

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        groups, inner, _ = self.weights.shape
        most = block_rows(target.shape[2] * groups * inner, target.shape[2] * target.shape[3])
        by_rows(self._compute, images, target, summand, most)

    def _compute(self, image: Array, block: Array, first: int, summand: Array | None) -> None:
        rows, columns = block.shape[:2]
        groups, _, each = self.weights.shape
        product = block.reshape(rows * columns, groups, each).transpose(1, 0, 2)
        matrices = self._matrices(image, first, rows)
        np.matmul(matrices, self.weights, out=product)
        self.epilogue.apply(block, summand)

    def _matrices(self, image: Array, first: int, rows: int) -> Array:
        """Return the windows of some rows by group: [groups, rows * columns, *K * I]."""
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
