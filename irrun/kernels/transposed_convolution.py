"""Transposed convolution as matrix products, which are added to the result."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.elementwise import Elementwise, finish
from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array
from irrun.kernels.windows import extent, pad, view


class TransposedConvolution:
    """Computes activation(transposed convolution of x + bias + summand) with weights [G, I, O, *K] and a bias [G * O].

    Each input element adds a scaled kernel to the output.
    """

    def __init__(
        self,
        weights: Array,
        strides: Sequence[int],
        dilations: Sequence[int],
        bias: Array | None = None,
        activation: Elementwise | None = None,
    ) -> None:
        self.weights: Array = np.ascontiguousarray(np.moveaxis(weights, (0, 1, 2), (-3, -2, -1)))
        self.strides = strides
        self.dilations = dilations
        self.bias = bias
        self.activation = activation

    def __call__(self, x: Array, begins: Sequence[int], sizes: Sequence[int], summand: Array | None = None) -> Array:
        """Return the result [N, G * O, *sizes] for x [N, G * I, *S], channels-last in memory.

        ``begins`` is the number of elements cropped from the start of the full result along each axis.
        """
        *kernel, groups, depth, filters = self.weights.shape
        counts = x.shape[2:]
        axes = zip(counts, self.strides, kernel, self.dilations, strict=True)
        whole = [(count - 1) * stride + extent(taps, dilation) for count, stride, taps, dilation in axes]
        full = np.zeros((len(x), *whole, groups, filters), self.weights.dtype)
        for image, target in zip(channels_last(x), full, strict=True):
            matrices = image.reshape(math.prod(counts), groups, depth).swapaxes(0, 1)
            for tap in np.ndindex(*kernel):
                first = [place * dilation for place, dilation in zip(tap, self.dilations, strict=True)]
                part = view(target, (*first, 0, 0), (*self.strides, 1, 1), (*counts, groups, filters))
                part += np.matmul(matrices, self.weights[tap]).swapaxes(0, 1).reshape(part.shape)
        crops = [-begin for begin in begins]
        ends = [size + begin - length for size, begin, length in zip(sizes, begins, whole, strict=True)]
        out = pad(full.reshape(len(x), *whole, groups * filters), (*crops, 0), (*ends, 0))
        finish(out, self.bias, None if summand is None else channels_last(summand), self.activation)
        return channels_first(out)


def convolve_transposed(
    data: Array,
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    sizes: Sequence[int],
) -> Array:
    """Compute the transposed convolution of data [N, G * I, *S] with weights [G, I, O, *K]: [N, G * O, *sizes]."""
    return TransposedConvolution(weights, strides, dilations)(data, begins, sizes)
