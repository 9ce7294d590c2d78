"""Convolution by weights that serve many calls, in blocks of results.

Images are channels-last in memory but passed and returned as views [N, C, *S], so that consecutive convolutions need no
conversion and other callers no special case.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import repeat
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.elementwise import Elementwise, Place, finish, parts
from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array, scratch
from irrun.kernels.windows import Geometry, pad, padded_image, windows_of
from irrun.kernels.winograd import is_worth_tiles, multiply_tiles, transform_weights

_MATRIX_BLOCK: Final = 1 << 18
"""Elements of a matrix of windows, which stays in the cache until it is multiplied."""

_LEAST_POINTS: Final = 32
"""Rows of a matrix; with fewer, reading the weights takes longer than multiplying."""

_CHANNEL_BLOCK: Final = 1 << 17
"""Elements of a result that is computed channel by channel, so that it stays in the cache."""

_LARGE: Final = 1e30
"""The magnitude of numbers from which the sums of a tile could overflow."""

Sums = Callable[[Array, Geometry, Array], Iterator[Place]]
"""A function that writes the sums of an image [*S, C] to a result [*counts, O], and yields the place of each block."""


class Convolution:
    """Computes activation(convolution of x + bias + summand) with weights [G, O / G, I, *K] and a bias [O].

    ``accurate`` forbids transforms that lose precision. ``least`` [C] is a lower bound that x is clipped to first, for
    kernels of one element without padding. Negative padding crops.
    """

    def __init__(
        self,
        weights: Array,
        bias: Array | None = None,
        activation: Elementwise | None = None,
        least: Array | None = None,
        *,
        accurate: bool = True,
    ) -> None:
        self.weights = weights
        self.bias = None if bias is None else np.ascontiguousarray(bias, weights.dtype).reshape(-1)
        self.activation = activation
        self.least = least
        self.accurate = accurate

    def __call__(self, x: Array, geometry: Geometry, summand: Array | None = None) -> Array:
        """Return the result [N, O, *S] for x [N, G * I, *S], channels-last in memory."""
        groups, filters = self.weights.shape[:2]
        out = np.empty((len(x), *geometry.counts, groups * filters), self.weights.dtype)
        sums = self.method(x, geometry)
        added = repeat(None) if summand is None else channels_last(summand)
        for image, result, more in zip(channels_last(x), out if out.size else (), added, strict=False):
            for place in sums(image, geometry, result):
                finish(result[place], self.bias, None if more is None else more[place], self.activation)
        return channels_first(out)

    def method(self, x: Array, geometry: Geometry) -> Sums:
        """Return the way to compute the windows of x."""
        groups, filters, depth = self.weights.shape[:3]
        if groups > 1 and depth == 1:
            return partial(sum_taps, self._by_tap)
        is_plain = geometry[:3] == ((3, 3), (1, 1), (1, 1)) and self._may_tile
        is_worth = is_plain and is_worth_tiles(geometry.counts, len(x), filters, depth)
        if is_worth and max(x.max(), -x.min()) < _LARGE:
            return partial(multiply_tiles, self._tiles)
        return partial(multiply_windows, self._matrices, self.least)

    @cached_property
    def _by_tap(self) -> Array:
        groups, filters, _, *kernel = self.weights.shape
        return np.ascontiguousarray(np.moveaxis(self.weights.reshape(groups * filters, *kernel), 0, -1))

    @cached_property
    def _matrices(self) -> Array:
        groups, filters, *inner = self.weights.shape
        return np.moveaxis(self.weights, (2, 1), (-2, -1)).reshape(groups, math.prod(inner), filters)

    @cached_property
    def _tiles(self) -> Array:
        return transform_weights(self.weights[0])

    @cached_property
    def _may_tile(self) -> bool:
        is_f32 = len(self.weights) == 1 and self.weights.dtype == np.float32
        return is_f32 and not self.accurate and bool(np.isfinite(self.weights).all())


def multiply_windows(
    weights: Array, least: Array | None, image: Array, geometry: Geometry, result: Array
) -> Iterator[Place]:
    """Multiply the windows of each group, a row each (im2col), by weights [G, K * I, O / G]."""
    groups, inner, filters = weights.shape
    windows = windows_of(padded_image(image, geometry, geometry.ends), geometry, groups)
    for place in parts(geometry.counts, max(_MATRIX_BLOCK // max(groups * inner, 1), _LEAST_POINTS)):
        block = result[place].reshape(-1, groups, filters).swapaxes(0, 1)
        part = windows[:, *place]
        if least is not None or set(geometry.kernel) != {1}:
            columns = scratch("columns", part.shape, part.dtype)
            np.copyto(columns, part)
            part = columns if least is None else np.maximum(columns, least, out=columns)
        np.matmul(part.reshape(groups, block.shape[1], inner), weights, out=block)
        yield place


def sum_taps(weights: Array, image: Array, geometry: Geometry, result: Array) -> Iterator[Place]:
    """Sum the products of taps and weights [*K, C], with one input channel for each result.

    Where windows are adjacent, the weights are repeated, so that several columns are processed as one long row.
    """
    if image.shape[-1] < result.shape[-1]:
        image = np.repeat(image, result.shape[-1] // image.shape[-1], axis=-1)
    (windows,) = windows_of(padded_image(image, geometry, geometry.ends), geometry)
    is_adjacent = geometry.strides[-1] == 1
    if is_adjacent:
        weights = np.tile(weights, geometry.counts[-1])
    for place in parts(geometry.counts, max(_CHANNEL_BLOCK // result.shape[-1], 1)):
        block, part = result[place], windows[place]
        if is_adjacent:
            *outer, columns, channels = block.shape
            steps = part.strides[: len(outer)] + part.strides[len(outer) + 1 :]
            part = as_strided(part, (*outer, *geometry.kernel, columns * channels), steps)
            block = block.reshape(*outer, columns * channels)
        places, taps = "abc"[: block.ndim - 1], "uvw"[: len(geometry.kernel)]
        np.einsum(f"{places}{taps}l,{taps}l->{places}l", part, weights[..., : block.shape[-1]], out=block)
        yield place


def convolve(data: Array, weights: Array, geometry: Geometry) -> Array:
    """Cross-correlate data [N, G * I, *S], zero-padded, with weights [G, O, I, *K]: [N, G * O, *out]."""
    return Convolution(weights)(data, geometry)


def binary_convolve(data: Array, weights: Array, geometry: Geometry, pad_value: float) -> Array:
    """Count matches minus mismatches between binary data and bits [O, I, *K]."""
    padded = pad(data, geometry.begins, geometry.ends, np.asarray(pad_value).astype(data.dtype))
    geometry = geometry._replace(begins=(0,) * len(geometry.begins), sizes=padded.shape[2:])
    signs = (padded == 1).astype(np.float32) - (padded == 0)
    result = convolve(signs, weights[np.newaxis].astype(np.float32) * 2 - 1, geometry)
    neither = signs == 0
    if neither.any():
        every = np.ones((1, 1, *weights.shape[1:]), np.float32)
        result -= convolve(neither.astype(np.float32), every, geometry)
    return result
