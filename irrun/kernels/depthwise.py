"""Depthwise convolution: one input channel for each group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.convolution_blocks import Blocks, Place, parts, windows_of
from irrun.kernels.epilogue import Epilogue
from irrun.kernels.threads import Array
from irrun.kernels.windows import Geometry

_ELEMENTS: Final = 1 << 17
"""The number of results in a block."""


class Depthwise(Blocks):
    """Sums the products of taps and weights [*K, C] in long rows.

    Where windows are adjacent, the weights are repeated, so that several columns are processed as one.
    """

    def __init__(self, weights: Array, geometry: Geometry, epilogue: Epilogue) -> None:
        super().__init__(geometry, epilogue)
        groups, self.copies = weights.shape[:2]
        channels = groups * self.copies
        taps = np.moveaxis(weights.reshape(channels, *geometry.kernel), 0, -1)
        self.most = max(_ELEMENTS // channels, 1)
        self.is_adjacent = geometry.strides[-1] == 1
        columns = min(self.most, geometry.counts[-1])
        self.weights = np.tile(taps, columns) if self.is_adjacent else np.ascontiguousarray(taps)

    def places(self, sizes: tuple[int, ...]) -> Iterator[Place]:
        return parts(sizes, self.most)

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        super().run(np.repeat(images, self.copies, axis=-1) if self.copies > 1 else images, target, summand)

    def compute(self, image: Array, place: Place, block: Array) -> None:
        weights = self.weights
        windows = windows_of(image, self.geometry, place, block.shape[:-1])
        if self.is_adjacent:
            *outer, columns, channels = block.shape
            adjacent = windows[(slice(None),) * len(outer) + (0,)]
            windows = as_strided(adjacent, (*adjacent.shape[:-1], columns * channels), adjacent.strides)
            block, weights = block.reshape(*outer, columns * channels), weights[..., : columns * channels]
        counts, taps, channel = range(block.ndim - 1), range(block.ndim - 1, windows.ndim - 1), windows.ndim
        np.einsum(windows, [*counts, *taps, channel], weights, [*taps, channel], [*counts, channel], out=block)
