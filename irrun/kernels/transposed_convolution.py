"""Transposed convolution as matrix products, whose parts are added to the result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import starmap
from typing import Final

import numpy as np

from irrun.kernels.elementwise import Activation, finish, parts
from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array, scratch

_ELEMENTS: Final = 1 << 20
"""Elements of the products of a block."""


class TransposedConvolution:
    """Computes activation(transposed convolution of x + bias + summand) with weights [G, I, O, *K].

    Each input element adds a scaled kernel to the output.
    """

    def __init__(
        self,
        weights: Array,
        strides: Sequence[int],
        dilations: Sequence[int],
        bias: Array | None = None,
        activation: Activation | None = None,
    ) -> None:
        groups, depth, filters, *kernel = weights.shape
        self.filters: int = filters
        self.kernel: list[int] = kernel
        self.weights: Array = np.ascontiguousarray(np.moveaxis(weights, 2, -1)).reshape(
            groups, depth, math.prod((*self.kernel, self.filters))
        )
        self.strides: tuple[int, ...] = tuple(strides)
        self.dilations: tuple[int, ...] = tuple(dilations)
        self.bias = 0 if bias is None else bias.reshape(groups, self.filters)
        self.activation = activation

    def __call__(self, x: Array, begins: Sequence[int], out: Array, summand: Array | None = None) -> Array:
        """Convolve x [N, G * I, *S] into ``out`` [N, G * O, *sizes], which is channels-last in memory, and return it.

        ``begins`` is the number of elements cropped from the start of the full result along each axis.
        """
        for number, (image, target) in enumerate(zip(channels_last(x), channels_last(out), strict=True)):
            self._image(image, begins, target.reshape(*target.shape[:-1], len(self.weights), self.filters))
            finish(target, None, None if summand is None else channels_last(summand)[number], self.activation)
        return out

    def _image(self, image: Array, begins: Sequence[int], target: Array) -> None:
        """Compute the result [*sizes, G, O] of an image."""
        groups, depth, width = self.weights.shape
        sizes = image.shape[:-1]
        target[...] = self.bias
        for place in parts(sizes, _ELEMENTS // max(groups * width, 1)):
            block = image[place]
            whole = (*place, *(slice(0, size) for size in sizes[len(place) :]))
            products = scratch("transposed", (groups, *block.shape[:-1], *self.kernel, self.filters), image.dtype)
            points = math.prod(block.shape[:-1])
            matrices = block.reshape(points, groups, depth).swapaxes(0, 1)
            np.matmul(matrices, self.weights, out=products.reshape(groups, points, width))
            for tap in np.ndindex(*self.kernel):
                spans = zip(range(len(tap)), tap, whole, target.shape, begins, strict=False)
                sources, targets = zip(*starmap(self._spans, spans), strict=True)
                part = target[targets]
                part += np.moveaxis(products[(slice(None), *sources, *tap)], 0, -2)

    def _spans(self, axis: int, tap: int, place: slice, size: int, begin: int) -> tuple[slice, slice]:
        """Return the slices of a part of the input and of the output that a tap connects."""
        stride = self.strides[axis]
        offset = tap * self.dilations[axis] - begin
        start = max(-(offset // stride), place.start)
        stop = max(min((size - 1 - offset) // stride + 1, place.stop), start)
        first = start * stride + offset
        return slice(start - place.start, stop - place.start), slice(first, first + (stop - start) * stride, stride)


def convolve_transposed(
    data: Array,
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    sizes: Sequence[int],
) -> Array:
    """Compute the transposed convolution of data [N, G * I, *S] with weights [G, I, O, *K]: [N, G * O, *sizes]."""
    channels = weights.shape[0] * weights.shape[2]
    out = channels_first(np.empty((len(data), *sizes, channels), data.dtype))
    return TransposedConvolution(weights, strides, dilations)(data, begins, out)
