"""Depthwise convolution: one input channel for each group."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.kernels.convolution_blocks import Geometry, by_rows, padded_rows
from irrun.kernels.epilogue import Epilogue
from irrun.kernels.layout import strided
from irrun.kernels.threads import Array
from irrun.kernels.windows import extent

_DEPTHWISE_ELEMENTS: Final = 1 << 17
"""The number of results in a block."""


class Depthwise:
    """Depthwise convolution: one input channel for each group, summed over the taps in long rows.

    ``weights`` are [*K, C]; ``long`` repeats them along a row, so that several columns are processed as one.
    """

    def __init__(self, weights: Array, geometry: Geometry, epilogue: Epilogue) -> None:
        groups, self.copies = weights.shape[:2]
        taps = weights.reshape(groups * self.copies, *geometry.kernel).transpose(1, 2, 0)
        self.weights = np.ascontiguousarray(taps)
        self.long = np.tile(taps, geometry.counts[1])
        self.geometry = geometry
        self.epilogue = epilogue

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        if self.copies > 1:
            images = np.repeat(images, self.copies, axis=-1)
        by_rows(self._compute, images, target, summand, _DEPTHWISE_ELEMENTS // (target.shape[2] * target.shape[3]))

    def _compute(self, image: Array, block: Array, first: int, summand: Array | None) -> None:
        rows, columns, channels = block.shape
        if self.geometry.strides[1] == 1:
            length = columns * channels
            windows = self._windows(image, first, rows, length)
            np.einsum("yxrl,yxl->rl", windows, self.long, out=block.reshape(rows, length))
        else:
            np.einsum("yxrcl,yxl->rcl", self._windows(image, first, *block.shape), self.weights, out=block)
        self.epilogue.apply(block, summand)

    def _windows(self, image: Array, first: int, rows: int, *within: int) -> Array:
        """Return the data of each tap: [*K, rows, columns, C], or [*K, rows, columns * C] for adjacent columns."""
        (down, across), (low, wide) = self.geometry.strides, self.geometry.dilations
        height = (rows - 1) * down + extent(self.geometry.kernel[0], low)
        padded = padded_rows(image, self.geometry, first * down, height, self.geometry.padded_width)
        row, column, each = padded.strides
        steps = (low * row, wide * column, down * row, *((across * column,) if len(within) == 2 else ()), each)
        return strided(padded, (*self.geometry.kernel, rows, *within), steps)
