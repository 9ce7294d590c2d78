"""Patches of images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.kernels.threads import Array
from irrun.kernels.windows import extent, pad, view


def extract_patches(
    data: Array,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    pads: Sequence[int],
    count: Sequence[int],
) -> Array:
    """Extract patches of [N, C, H, W] into [N, rows * cols * C, down, across], with the channel innermost.

    ``pads`` are the zeros above and to the left; below and to the right are as many as the patches need.
    """
    batch, channels, *lengths = data.shape
    reach = [
        (n - 1) * stride + extent(size, rate)
        for n, stride, size, rate in zip(count, strides, sizes, rates, strict=True)
    ]
    behind = [max(most - begin - length, 0) for most, begin, length in zip(reach, pads, lengths, strict=True)]
    padded = pad(data, pads, behind)
    output = np.empty((batch, *sizes, channels, *count), dtype=data.dtype)
    for row in range(sizes[0]):
        for col in range(sizes[1]):
            output[:, row, col] = view(padded, (row * rates[0], col * rates[1]), strides, count)
    return output.reshape(batch, sizes[0] * sizes[1] * channels, *count)
