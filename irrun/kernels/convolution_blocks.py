"""What the ways to convolve have in common: where windows lie, padded rows, and what ends a block of results.

Images are [rows, columns, channels], so that what belongs to a tap is a long run. Blocks of the result are finished
while they are in the cache, and shared between threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.threads import Array, scratch, threads
from irrun.kernels.windows import extent

Activation = Callable[[Array], object]
"""Overwrites an array with a function of its elements."""

MULTIPLY_ADDS: Final = 60
"""How many of them one thread makes in a nanosecond within a product of matrices."""

LEAST_POINTS: Final = 96
"""Rows below which a product of matrices is slow because it spends its time packing the other matrix."""

BLOCK_ELEMENTS: Final = 1 << 18
"""Elements of a block that is worked on: two such blocks fit the cache of a core."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where the windows lie over images of two axes."""

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
        """Whether no window reaches into padding."""
        spans = (extent(*of) for of in zip(self.kernel, self.dilations, strict=True))
        places = zip(self.sizes, self.counts, self.strides, spans, strict=True)
        return self.begins == (0, 0) and all((count - 1) * step + span <= size for size, count, step, span in places)

    @property
    def is_dense(self) -> bool:
        """Whether the windows are single elements that cover the image."""
        return self.kernel == (1, 1) and self.sizes == self.counts and self.strides == (1, 1)


@dataclass(frozen=True, slots=True)
class Finish:
    """What is done to a block of results [rows, columns, O] before it leaves the cache."""

    bias: Array | None
    activation: Activation | None

    def __call__(self, block: Array, summand: Array | None, channels: slice = slice(None)) -> None:
        """``summand`` is [rows, columns, O], and may have fewer rows and columns than the block."""
        if self.bias is not None:
            _add_to_rows(block.reshape(-1, block.shape[-1]), self.bias[channels])
        if summand is not None:
            inside = block[: summand.shape[0], : summand.shape[1]]
            np.add(inside, summand, out=inside)
        if self.activation is not None:
            self.activation(block)


def _add_to_rows(block: Array, row: Array) -> None:
    """Several rows at a time, where they are short."""
    repeats = -(-1024 // row.size)
    whole = len(block) - len(block) % repeats
    if repeats > 1 and whole and block.flags.c_contiguous:
        several = block[:whole].reshape(-1, repeats * row.size)
        several += np.tile(row, repeats)
        block = block[whole:]
    block += row


def even(rows: int, step: int, batch: int, least: int) -> int:
    """At most so many rows at a time, so that all threads get about as much to do."""
    blocks = -(-rows // step)
    if batch == 1 and blocks % threads() and rows >= threads() * least:
        blocks += threads() - blocks % threads()
    return -(-rows // blocks)


def columns_of(image: Array, geometry: Geometry, first: int, last: int) -> Array:
    """The windows of some rows, [rows, columns, *K, C], in memory of the thread."""
    channels = image.shape[-1]
    rows = last - first
    height = (rows - 1) * geometry.strides[0] + extent(geometry.kernel[0], geometry.dilations[0])
    padded = padded_rows(image, geometry, first * geometry.strides[0], height, geometry.padded_width)
    down, along, each = padded.strides
    shape = (rows, geometry.counts[1], *geometry.kernel, channels)
    steps = (
        down * geometry.strides[0],
        along * geometry.strides[1],
        down * geometry.dilations[0],
        along * geometry.dilations[1],
        each,
    )
    columns = scratch("columns", shape, image.dtype)
    np.copyto(columns, as_strided(padded, shape, steps))
    return columns


def padded_rows(image: Array, geometry: Geometry, first: int, height: int, width: int) -> Array:
    """Rows of a padded image [H, W, C], from the padded row ``first`` on, in memory of the thread or as a view."""
    rows, columns, channels = image.shape
    top, left = first - geometry.begins[0], -geometry.begins[1]
    if top >= 0 and left == 0 and top + height <= rows and width <= columns and _has_long_rows(image):
        return image[top : top + height, :width]
    padded = scratch("padded", (height, width, channels), image.dtype)
    above, below = min(max(-top, 0), height), min(max(rows - top, 0), height)
    before, behind = -left, min(columns - left, width)
    padded[:above] = 0
    padded[below:] = 0
    padded[above:below, :before] = 0
    padded[above:below, behind:] = 0
    if above < below:
        np.copyto(padded[above:below, before:behind], image[top + above : top + below, : behind - before])
    return padded


def _has_long_rows(image: Array) -> bool:
    return image.strides[2] == image.itemsize and image.strides[1] == image.shape[2] * image.itemsize
