"""Depthwise convolution: one input channel for each group."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irrun.kernels.convolution_blocks import Finish, Geometry, even, padded_rows
from irrun.kernels.threads import Array, scratch, split
from irrun.kernels.windows import extent

_DEPTHWISE_ELEMENTS: Final = 1 << 17
"""Elements of a block of results."""


class Depthwise:
    """One input channel for each group: every tap is a multiplication and an addition of long rows."""

    def __init__(self, weights: Array, geometry: Geometry, finish: Finish) -> None:
        groups, self.copies = weights.shape[:2]
        taps = weights.reshape(groups * self.copies, *geometry.kernel).transpose(1, 2, 0)
        self.weights = np.tile(taps, geometry.counts[1])
        self.geometry = geometry
        self.finish = finish

    def run(self, images: Array, target: Array, summand: Array | None) -> None:
        if self.copies > 1:
            images = np.repeat(images, self.copies, axis=-1)
        batch, rows, columns, channels = target.shape
        step = even(rows, max(_DEPTHWISE_ELEMENTS // (columns * channels), 1), batch, 1)
        starts = [(image, first) for image in range(batch) for first in range(0, rows, step)]

        def several(first: int, last: int) -> None:
            for image, row in starts[first:last]:
                end = min(row + step, rows)
                part = None if summand is None else summand[image, row:end]
                self._block(images[image], target[image, row:end], part, row)

        split(several, len(starts), 0.3 * target.size * math.prod(self.geometry.kernel))

    def _block(self, image: Array, target: Array, summand: Array | None, first: int) -> None:
        rows, columns, channels = target.shape
        length = columns * channels
        direct = target.flags.c_contiguous
        total = target.reshape(rows, length) if direct else scratch("result", (rows, length), image.dtype)
        product = scratch("product", (rows, length), image.dtype)
        phases = self._phases(image, first, rows)
        (down, across), (low, wide) = self.geometry.strides, self.geometry.dilations
        for y, x in np.ndindex(*self.geometry.kernel):
            plane = phases[x * wide % across]
            skip = x * wide // across * channels
            source = plane[y * low : y * low + (rows - 1) * down + 1 : down, skip : skip + length]
            np.multiply(source, self.weights[y, x], out=product if x or y else total)
            if x or y:
                np.add(total, product, out=total)
        block = total.reshape(target.shape)
        self.finish(block, summand)
        if not direct:
            np.copyto(target, block)

    def _phases(self, image: Array, first: int, rows: int) -> Array:
        """The padded rows as [stride, rows, columns / stride * C]: every stride-th column together."""
        across = self.geometry.strides[1]
        channels = image.shape[-1]
        height = (rows - 1) * self.geometry.strides[0] + extent(self.geometry.kernel[0], self.geometry.dilations[0])
        width = -(-self.geometry.padded_width // across)
        padded = padded_rows(image, self.geometry, first * self.geometry.strides[0], height, width * across)
        if across == 1:
            return padded.reshape(1, height, width * channels)
        apart = scratch("phases", (across, height, width, channels), image.dtype)
        np.copyto(apart, padded.reshape(height, width, across, channels).transpose(2, 0, 1, 3))
        return apart.reshape(across, height, width * channels)
