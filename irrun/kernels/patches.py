"""Patches of images."""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.threads import Array
from irrun.kernels.windows import Geometry, pad, view


def extract_patches(data: Array, geometry: Geometry) -> Array:
    """Extract patches of [N, C, H, W], zero-padded, into [N, rows * cols * C, down, across], the channel innermost."""
    batch, channels = data.shape[:2]
    padded = pad(data, geometry.begins, [max(end, 0) for end in geometry.ends])
    output = np.empty((batch, *geometry.kernel, channels, *geometry.counts), dtype=data.dtype)
    for taps in np.ndindex(*geometry.kernel):
        offsets = [tap * dilation for tap, dilation in zip(taps, geometry.dilations, strict=True)]
        output[:, *taps] = view(padded, offsets, geometry.strides, geometry.counts)
    return output.reshape(batch, math.prod(geometry.kernel) * channels, *geometry.counts)
