"""Convolution as a matrix product: pointwise and im2col."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from irrun.kernels.convolution_blocks import (
    Geometry,
    block_rows,
    by_rows,
    columns_of,
    matrix_of,
)
from irrun.kernels.epilogue import Epilogue
from irrun.kernels.threads import Array, scratch
from irrun.kernels.transposing import taps_first


class Product:
    """Multiplies matrices [points, K], built block by block, by weights [K, O]."""

    def __init__(self, weights: Array, geometry: Geometry, epilogue: Epilogue) -> None:
        self.source = weights
        self.geometry = geometry
        self.epilogue = epilogue

    @property
    def weights(self) -> Array:
        """The matrix [K, O]."""
        return self.source.reshape(self.source.shape[:2]).T

    def matrix(self, image: Array, first: int, last: int) -> Array:
        """Return the matrix to multiply by the weights, for some rows of the result."""
        raise NotImplementedError

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        depth, filters = self.weights.shape

        def compute(image: Array, block: Array, first: int, added: Array | None) -> None:
            matrix = self.matrix(image, first, first + len(block))
            np.matmul(matrix, self.weights, out=block.reshape(len(matrix), filters))
            self.epilogue.apply(block, added)

        by_rows(compute, images, target, summand, block_rows(target.shape[2] * depth, target.shape[2] * filters))


class Pointwise(Product):
    """A kernel of one element. ``least`` [C] is a lower bound that data are clipped to first, one for each channel."""

    def __init__(self, weights: Array, geometry: Geometry, epilogue: Epilogue, least: Array | None = None) -> None:
        super().__init__(weights, geometry, epilogue)
        self.least = least

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        strides, counts = self.geometry.strides, self.geometry.counts
        images = images[:, :: strides[0], :: strides[1]][:, : counts[0], : counts[1]]
        given = [part for part in (images, target, summand) if part is not None]
        if self.geometry.is_dense and all(part.strides[1] == part.shape[2] * part.strides[2] for part in given):
            images, target = _as_points(images), _as_points(target)
            summand = None if summand is None else _as_points(summand)
        super().run(images, target, summand)

    def matrix(self, image: Array, first: int, last: int) -> Array:
        part = image[first:last]
        if self.least is not None:
            raised = scratch("columns", part.shape, part.dtype)
            np.maximum(part, self.least, out=raised)
            part = raised
        return matrix_of(part)


def _as_points(images: Array) -> Array:
    """Return [N, H, W, C] as [N, H * W, 1, C]."""
    return images.reshape(images.shape[0], -1, 1, images.shape[3])


class Columns(Product):
    """Im2col: each window becomes a row of the matrix."""

    @cached_property
    def weights(self) -> Array:
        """The matrix [K, O], computed on first use."""
        return taps_first(self.source).reshape(-1, len(self.source))

    def matrix(self, image: Array, first: int, last: int) -> Array:
        return columns_of(image, self.geometry, first, last)
