"""Convolution by weights that serve many calls, in blocks of results that stay in the cache.

Images are channels-last in memory but passed and returned as views [N, C, *S], so that consecutive convolutions need no
conversion and other callers no special case.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import repeat
from typing import Final, Protocol

import numpy as np
from numpy.lib.stride_tricks import as_strided

from irrun.kernels.elementwise import Activation, Place, finish, parts
from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array, are_products_shared, scratch
from irrun.kernels.windows import Geometry, pad, windows_of
from irrun.kernels.winograd import Tiles, is_worth_tiles

_LARGE_BLOCK: Final = 1 << 21
"""Elements of a matrix built for a product; with fewer, the product is too small for several threads."""

_CACHED_BLOCK: Final = 1 << 18
"""Elements of a matrix and its result in a single-threaded product, so that both stay in the cache."""

_LEAST_POINTS: Final = 32
"""Rows of a matrix; with fewer, reading the weights takes longer than multiplying."""

_CHANNEL_BLOCK: Final = 1 << 17
"""Elements of a result that is computed channel by channel."""


class _Method(Protocol):
    """A way to compute blocks of results, which keeps the weights in its order."""

    def places(self, geometry: Geometry) -> Sequence[Place]:
        """Return the place of each block in the results of an image."""
        ...

    def ends(self, geometry: Geometry) -> Sequence[int]:
        """Return the elements of padding that are read after an image."""
        return geometry.ends

    def compute(self, image: Array, place: Place, geometry: Geometry, block: Array) -> None:
        """Write the sums at a place of the results of a padded image [*S, C] to a contiguous block."""
        ...


class Convolution:
    """Computes activation(convolution of x + bias + summand) with weights [G, O / G, I, *K] and a bias [O].

    ``accurate`` forbids transforms that lose precision. ``least`` [C] is a lower bound that x is clipped to first, for
    kernels of one element without padding. Negative padding crops.
    """

    def __init__(
        self,
        weights: Array,
        bias: Array | None = None,
        activation: Activation | None = None,
        least: Array | None = None,
        *,
        accurate: bool = True,
    ) -> None:
        self.weights = weights
        self.bias = None if bias is None else np.ascontiguousarray(bias, weights.dtype).reshape(-1)
        self.activation = activation
        self.least = least
        self.accurate = accurate

    def __call__(
        self,
        x: Array,
        geometry: Geometry,
        summand: Array | None = None,
    ) -> Array:
        """Return the result [N, O, *S] for x [N, G * I, *S], channels-last in memory."""
        groups, filters, depth, *_ = self.weights.shape
        out = np.empty((len(x), *geometry.counts, groups * filters), self.weights.dtype)
        images, results = channels_last(x), out
        added = None if summand is None else channels_last(summand)
        if geometry.is_dense:
            points = (math.prod(geometry.counts),)
            geometry = Geometry((1,), (1,), (1,), (0,), points, points)
            images, results = (part.reshape(len(x), *points, part.shape[-1]) for part in (images, results))
            added = None if added is None else added.reshape(results.shape)
        if groups > 1 and depth == 1 and filters > 1:
            images = np.repeat(images, filters, axis=-1)
        method = self.method(geometry, len(x))
        places = method.places(geometry) if out.size else ()
        begins, ends = (*geometry.begins, 0), (*method.ends(geometry), 0)
        for whole, result, more in zip(images, results, repeat(None) if added is None else added, strict=False):
            image = np.ascontiguousarray(pad(whole, begins, ends, 0, "padded"))
            for place in places:
                block = result[place]
                method.compute(image, place, geometry, block)
                finish(block, self.bias, None if more is None else more[place], self.activation)
        return channels_first(out)

    def method(self, geometry: Geometry, batch: int) -> _Method:
        """Return the way to compute windows of this geometry."""
        groups, filters, depth = self.weights.shape[:3]
        plain = geometry[:3] == ((3, 3), (1, 1), (1, 1))
        if groups > 1 and depth == 1:
            return self._depthwise
        if plain and is_worth_tiles(geometry.counts, batch, filters, depth) and self._may_tile:
            return self._tiles
        return self._products

    @cached_property
    def _depthwise(self) -> Depthwise:
        return Depthwise(self.weights)

    @cached_property
    def _products(self) -> Products:
        return Products(self.weights, self.least)

    @cached_property
    def _tiles(self) -> Tiles:
        return Tiles(self.weights)

    @cached_property
    def _may_tile(self) -> bool:
        is_f32 = len(self.weights) == 1 and self.weights.dtype == np.float32
        return is_f32 and not self.accurate and bool(np.isfinite(self.weights).all())


class Products(_Method):
    """Multiplies the windows of each group [points, K * I], a row each (im2col), by weights [K * I, O / G]."""

    def __init__(self, weights: Array, least: Array | None = None) -> None:
        groups, filters, *inner = weights.shape
        self.weights: Array = np.moveaxis(weights, (2, 1), (-2, -1)).reshape(groups, math.prod(inner), filters)
        self.least = least

    def places(self, geometry: Geometry) -> Sequence[Place]:
        groups, read, filters = self.weights.shape
        shared = are_products_shared()
        most = _LARGE_BLOCK // max(groups * read, 1) if shared else _CACHED_BLOCK // (groups * (read + filters))
        return parts(geometry.counts, max(most, _LEAST_POINTS))

    def compute(self, image: Array, place: Place, geometry: Geometry, block: Array) -> None:
        groups, inner, filters = self.weights.shape
        points = math.prod(block.shape[:-1])
        windows = image[place] if geometry.is_dense else windows_of(image, place, geometry, block.shape[:-1])
        by_group = windows.reshape(*windows.shape[:-1], groups, windows.shape[-1] // groups)
        if geometry.is_pointwise and self.least is None:
            matrices = by_group.reshape(points, groups, inner).swapaxes(0, 1)
        else:
            by_group = by_group.transpose(-2, *range(windows.ndim - 1), -1)
            matrices = scratch("columns", by_group.shape, windows.dtype)
            if self.least is None:
                np.copyto(matrices, by_group)
            else:
                np.maximum(by_group, self.least, out=matrices)
            matrices = matrices.reshape(groups, points, inner)
        np.matmul(matrices, self.weights, out=block.reshape(points, groups, filters).swapaxes(0, 1))


class Depthwise(_Method):
    """Sums the products of taps and weights [*K, C], with one input channel for each result.

    Where windows are adjacent, the weights are repeated, so that several columns are processed as one long row.
    """

    def __init__(self, weights: Array) -> None:
        groups, filters, _, *kernel = weights.shape
        self.weights: Array = np.ascontiguousarray(np.moveaxis(weights.reshape(groups * filters, *kernel), 0, -1))
        self._repeated = self.weights

    def places(self, geometry: Geometry) -> Sequence[Place]:
        return parts(geometry.counts, max(_CHANNEL_BLOCK // self.weights.shape[-1], 1))

    def compute(self, image: Array, place: Place, geometry: Geometry, block: Array) -> None:
        *outer, columns, channels = block.shape
        length = columns * channels
        windows = windows_of(image, place, geometry, block.shape[:-1])
        weights = self.weights
        if geometry.strides[-1] == 1:
            weights = self._repeated
            if weights.shape[-1] < length:
                self._repeated = weights = np.tile(self.weights, columns)
            steps = windows.strides[: len(outer)] + windows.strides[len(outer) + 1 :]
            windows = as_strided(windows, (*outer, *geometry.kernel, length), steps)
            weights, block = weights[..., :length], block.reshape(*outer, length)
        places, taps = "abcdef"[: block.ndim - 1], "uvwxyz"[: len(geometry.kernel)]
        weights = weights.reshape(*geometry.kernel, weights.shape[-1])
        np.einsum(f"{places}{taps}l,{taps}l->{places}l", windows, weights, out=block)


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
