"""Patches of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


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
    batch, channels, height, width = data.shape
    reach = [
        (n - 1) * stride + (size - 1) * rate + 1
        for n, stride, size, rate in zip(count, strides, sizes, rates, strict=True)
    ]
    canvas = [max(length, pad + size) for length, pad, size in zip(reach, pads, (height, width), strict=True)]
    padded = np.zeros((batch, channels, *canvas), dtype=data.dtype)
    padded[:, :, pads[0] : pads[0] + height, pads[1] : pads[1] + width] = data
    output = np.empty((batch, *sizes, channels, *count), dtype=data.dtype)
    for row in range(sizes[0]):
        top = row * rates[0]
        for col in range(sizes[1]):
            left = col * rates[1]
            output[:, row, col] = padded[
                :,
                :,
                top : top + (count[0] - 1) * strides[0] + 1 : strides[0],
                left : left + (count[1] - 1) * strides[1] + 1 : strides[1],
            ]
    return output.reshape(batch, sizes[0] * sizes[1] * channels, *count)
