"""Depthwise convolution: one input channel for each group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from irrun.kernels.convolution_blocks import Blocks, Place, parts, windows_of
from irrun.kernels.epilogue import Epilogue
from irrun.kernels.layout import strided
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
        self.most: int = max(_ELEMENTS // channels, 1)
        self.is_adjacent: bool = geometry.strides[-1] == 1
        columns = min(self.most, geometry.counts[-1])
        self.weights: Array = np.tile(taps, columns) if self.is_adjacent else np.ascontiguousarray(taps)
        rank = len(geometry.kernel)
        outer, tap = "abcdef"[: rank - self.is_adjacent], "uvwxyz"[:rank]
        self.sums = f"{outer}{tap}l,{tap}l->{outer}l"

    def places(self) -> Iterator[Place]:
        return parts(self.geometry.counts, self.most)

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        super().run(np.repeat(images, self.copies, axis=-1) if self.copies > 1 else images, target, summand)

    def compute(self, part: Array, block: Array) -> None:
        if not self.is_adjacent:
            np.einsum(self.sums, windows_of(part, self.geometry, block.shape[:-1]), self.weights, out=block)
            return
        *outer, columns, channels = block.shape
        length, rank = columns * channels, len(outer)
        steps = windows_of(part, self.geometry, (*outer, 1)).strides
        long = strided(part, (*outer, *self.geometry.kernel, length), (*steps[:rank], *steps[rank + 1 :]))
        np.einsum(self.sums, long, self.weights[..., :length], out=block.reshape(*outer, length))
