"""Transposed convolution as matrix products, which are added to the result."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array
from irrun.kernels.windows import extent, pad, view


def stored_by_taps(weights: Array) -> Array:
    """Return weights [G, I, O, *K] whose matrices of each tap are contiguous in memory, as they are multiplied."""
    by_tap = np.ascontiguousarray(np.moveaxis(weights, (0, 1, 2), (-3, -2, -1)))
    return np.moveaxis(by_tap, (-3, -2, -1), (0, 1, 2))


def convolve_transposed(
    data: Array,
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    sizes: Sequence[int],
) -> Array:
    """Compute the transposed convolution of data [N, G * I, *S] with weights [G, I, O, *K]: [N, G * O, *sizes].

    Each input element adds a scaled kernel to the output. ``begins`` is the number of elements cropped from the start
    of the full result along each axis. The result is channels-last in memory. Weights that are `stored_by_taps` are not
    copied.
    """
    groups, depth, filters, *kernel = weights.shape
    counts = data.shape[2:]
    axes = zip(counts, strides, kernel, dilations, strict=True)
    whole = [(count - 1) * stride + extent(taps, dilation) for count, stride, taps, dilation in axes]
    full = np.zeros((len(data), *whole, groups, filters), weights.dtype)
    by_tap = np.moveaxis(stored_by_taps(weights), (0, 1, 2), (-3, -2, -1))
    for image, target in zip(channels_last(data), full, strict=True):
        matrices = image.reshape(math.prod(counts), groups, depth).swapaxes(0, 1)
        for tap in np.ndindex(*kernel):
            first = [place * dilation for place, dilation in zip(tap, dilations, strict=True)]
            part = view(target, (*first, 0, 0), (*strides, 1, 1), (*counts, groups, filters))
            part += np.matmul(matrices, by_tap[tap]).swapaxes(0, 1).reshape(part.shape)
    crops = [-begin for begin in begins]
    ends = [size + begin - length for size, begin, length in zip(sizes, begins, whole, strict=True)]
    return channels_first(pad(full.reshape(len(data), *whole, groups * filters), (*crops, 0), (*ends, 0)))
