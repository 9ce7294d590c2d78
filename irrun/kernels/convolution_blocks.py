"""Shared parts of the convolution algorithms: window geometry, padded rows, and blocks of results.

Images are [rows, columns, channels], so that the elements of a tap are contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from irrun.kernels.layout import strided
from irrun.kernels.ranges import even
from irrun.kernels.threads import Array, are_products_shared, scratch
from irrun.kernels.windows import extent

TILE: Final = 4
"""Outputs of a tile of Winograd's along each axis; a tile reads two more elements."""

_LARGE_BLOCK: Final = 1 << 21
"""Elements of a matrix built for a product; with fewer, the product is too small for several threads."""

_CACHED_BLOCK: Final = 1 << 18
"""Elements of a matrix and its result in a single-threaded product, so that both stay in the cache."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """The geometry of the windows over images with two axes."""

    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    begins: tuple[int, int]
    sizes: tuple[int, int]
    counts: tuple[int, int]

    @property
    def padded_width(self) -> int:
        return (self.counts[1] - 1) * self.strides[1] + extent(self.kernel[1], self.dilations[1])

    @property
    def is_inside(self) -> bool:
        """True where no window extends into padding."""
        spans = (extent(*of) for of in zip(self.kernel, self.dilations, strict=True))
        places = zip(self.sizes, self.counts, self.strides, spans, strict=True)
        return self.begins == (0, 0) and all((count - 1) * step + span <= size for size, count, step, span in places)

    @property
    def is_dense(self) -> bool:
        """True where the windows are single elements that cover the whole image."""
        return self.kernel == (1, 1) and self.sizes == self.counts and self.strides == (1, 1)


def block_rows(inner: int, results: int) -> int:
    """Return the number of rows to compute at a time, for ``inner`` matrix elements and ``results`` results a row."""
    return _LARGE_BLOCK // inner if are_products_shared() else _CACHED_BLOCK // (inner + results)


def by_rows(
    compute: Callable[[Array, Array, int, Array | None], None],
    images: Array,
    target: Array,
    summand: Array | None,
    most: int,
) -> None:
    """Compute the results of all images, at most ``most`` rows at a time.

    ``compute(image, block, first, summand)`` writes the rows from ``first`` on to a contiguous block; ``summand`` holds
    the same rows of the summand.
    """
    rows = target.shape[1]
    step = even(rows, most)
    for number, image in enumerate(images):
        for first in range(0, rows, step):
            here = np.s_[number, first : min(first + step, rows)]
            wanted = target[here]
            direct = wanted.flags.c_contiguous
            block = wanted if direct else scratch("result", wanted.shape, wanted.dtype)
            compute(image, block, first, None if summand is None else summand[here])
            if not direct:
                np.copyto(wanted, block)


def matrix_of(part: Array) -> Array:
    """Return [rows, columns, C] as a matrix [rows * columns, C], in workspace of the thread or as a view."""
    rows, columns, depth = part.shape
    if not _is_matrix(part):
        matrix = scratch("columns", part.shape, part.dtype)
        np.copyto(matrix, part)
        part = matrix
    return part.reshape(rows * columns, depth)


def _is_matrix(part: Array) -> bool:
    """Return whether [rows, columns, C] can be viewed as a matrix [points, C] that BLAS accepts."""
    down, along, deep = part.strides
    one = part.itemsize
    return down == part.shape[1] * along and one in (along, deep)


def windows_of(image: Array, geometry: Geometry, first: int, last: int) -> Array:
    """Return the windows of some rows as a view [rows, columns, *K, C] of the image, or of a padded copy of it."""
    if geometry.kernel == (1, 1) and geometry.is_inside:
        down, across = geometry.strides
        part = image[first * down : (last - 1) * down + 1 : down, : (geometry.counts[1] - 1) * across + 1 : across]
        return part[:, :, np.newaxis, np.newaxis]
    height = (last - first - 1) * geometry.strides[0] + extent(geometry.kernel[0], geometry.dilations[0])
    padded = padded_rows(image, geometry, first * geometry.strides[0], height, geometry.padded_width)
    down, along, each = padded.strides
    steps = (
        down * geometry.strides[0],
        along * geometry.strides[1],
        down * geometry.dilations[0],
        along * geometry.dilations[1],
        each,
    )
    return strided(padded, (last - first, geometry.counts[1], *geometry.kernel, image.shape[-1]), steps)


def columns_of(image: Array, geometry: Geometry, first: int, last: int) -> Array:
    """Return the windows of some rows as a matrix [rows * columns, *K * C], in workspace of the thread."""
    windows = windows_of(image, geometry, first, last)
    matrix = scratch("columns", (windows.shape[0] * windows.shape[1], math.prod(windows.shape[2:])), image.dtype)
    np.copyto(matrix.reshape(windows.shape), windows)
    return matrix


def padded_rows(image: Array, geometry: Geometry, first: int, height: int, width: int) -> Array:
    """Return rows of a padded image [H, W, C], from padded row ``first`` on, in thread workspace or as a view."""
    rows, columns, channels = image.shape
    top, left = first - geometry.begins[0], -geometry.begins[1]
    if top >= 0 and left == 0 and top + height <= rows and width <= columns and _has_long_rows(image):
        return image[top : top + height, :width]
    padded = scratch("padded", (height, width, channels), image.dtype)
    above, below = min(max(-top, 0), height), min(max(rows - top, 0), height)
    before, behind = -left, min(columns - left, width)
    edges = padded[:above], padded[below:], padded[above:below, :before], padded[above:below, behind:]
    for edge in edges:
        edge.fill(0)
    if above < below:
        inside = image[top + above : top + below, : behind - before]
        np.copyto(padded[above:below, before:behind], inside)
    return padded


def _has_long_rows(image: Array) -> bool:
    return image.strides[2] == image.itemsize and image.strides[1] == image.shape[2] * image.itemsize
