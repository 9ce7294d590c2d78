"""Convolution with constant weights: all work that does not depend on the input is done in advance.

Images are channels-last in memory but passed and returned as views [N, C, *S], so that consecutive convolutions need no
conversion and other callers no special case.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from irrun.kernels.convolution_blocks import TILE, Blocks, Geometry
from irrun.kernels.convolution_products import Products
from irrun.kernels.epilogue import Activation, Epilogue
from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array
from irrun.kernels.windows import extent, pad


class PreparedConvolution:
    """Computes activation(convolution of x + bias + summand), [N, C, *S].

    ``out`` and ``summand`` have the shape of the result; ``out`` may have any memory layout, and is returned. A newly
    allocated result is channels-last.
    """

    def __init__(self, kind: Blocks, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.kind = kind
        self.shape = shape
        self.dtype = dtype

    def __call__(self, x: Array, out: Array | None = None, summand: Array | None = None) -> Array:
        if out is None:
            batch, channels, *spatial = self.shape
            out = channels_first(np.empty((batch, *spatial, channels), self.dtype))
        target = self._images(out)
        self.kind.run(self._images(x), target, None if summand is None else self._images(summand))
        if not np.may_share_memory(target, out):
            np.copyto(channels_last(out), target.reshape(channels_last(out).shape))
        return out

    def _images(self, x: Array) -> Array:
        """View [N, C, *S] as [N, *S, C], with the spatial axes of the kernel."""
        images = channels_last(x)
        is_merged = len(self.kind.geometry.sizes) < x.ndim - 2
        return images.reshape(len(images), math.prod(images.shape[1:-1]), images.shape[-1]) if is_merged else images


def prepare_convolution(
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    pads_begin: Sequence[int],
    pads_end: Sequence[int],
    groups: int,
    input_shape: Sequence[int],
    bias: Array | None = None,
    activation: Activation | None = None,
    accurate: bool = False,
    least: Array | None = None,
) -> PreparedConvolution:
    """Prepare the convolution of x [N, C, *S] with weights [O, I, *K] or [G, O / G, I, *K], plus ``bias`` [O].

    ``accurate`` forbids transforms that lose precision. ``least`` [C] is a lower bound that x is clipped to first, for
    kernels of one element without padding. Negative padding crops.
    """
    batch, _, *sizes = input_shape
    *filters, depth = weights.shape[: -len(sizes)]
    kernel = weights.shape[-len(sizes) :]
    grouped = weights.reshape(groups, math.prod(filters) // max(groups, 1), depth, *kernel)
    padded = [sum(of) for of in zip(sizes, pads_begin, pads_end, strict=True)]
    spans = map(extent, kernel, dilations)
    counts = [(size - span) // stride + 1 for size, span, stride in zip(padded, spans, strides, strict=True)]
    shape = (batch, grouped.shape[0] * grouped.shape[1], *counts)
    geometry = Geometry(*(tuple(of) for of in (kernel, strides, dilations, pads_begin, sizes, counts)))
    if geometry.is_dense:
        points = (math.prod(counts),)
        geometry, grouped = Geometry((1,), (1,), (1,), (0,), points, points), grouped.reshape(*grouped.shape[:3], 1)
    epilogue = Epilogue(None if bias is None else np.ascontiguousarray(bias, weights.dtype).reshape(-1), activation)
    return PreparedConvolution(_choose(grouped, geometry, epilogue, batch, accurate, least), shape, weights.dtype)


def _choose(
    weights: Array, geometry: Geometry, epilogue: Epilogue, batch: int, accurate: bool, least: Array | None
) -> Blocks:
    groups, filters, depth = weights.shape[:3]
    if groups > 1 and depth == 1:
        from irrun.kernels.depthwise import Depthwise

        return Depthwise(weights, geometry, epilogue)
    if (
        groups == 1
        and not accurate
        and weights.dtype == np.float32
        and _worth_winograd(geometry, filters, depth, batch)
    ):
        from irrun.kernels.winograd import Winograd

        return Winograd(weights[0], geometry, epilogue)
    return Products(weights, geometry, epilogue, least)


def _worth_winograd(geometry: Geometry, filters: int, depth: int, batch: int) -> bool:
    if (geometry.kernel, geometry.strides, geometry.dilations) != ((3, 3), (1, 1), (1, 1)):
        return False
    if min(filters, depth) < 32:
        return False
    tiles = batch * math.prod(-(-count // TILE) for count in geometry.counts)
    used = batch * math.prod(geometry.counts) / max(tiles * TILE * TILE, 1)
    return tiles >= max(32, filters // 24) and used > 0.6


def convolve(
    data: Array,
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    ends: Sequence[int],
) -> Array:
    """Cross-correlate data [N, G * I, *S], zero-padded, with weights [G, O, I, *K]: [N, G * O, *out]."""
    return prepare_convolution(weights, strides, dilations, begins, ends, len(weights), data.shape, accurate=True)(data)


def binary_convolve(
    data: Array,
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    ends: Sequence[int],
    pad_value: float,
) -> Array:
    """Count matches minus mismatches between binary data and bits [O, I, *K]."""
    padded = pad(data, begins, ends, np.asarray(pad_value).astype(data.dtype))
    nothing = [0] * len(strides)
    signs = (padded == 1).astype(np.float32) - (padded == 0)
    result = convolve(signs, weights[np.newaxis].astype(np.float32) * 2 - 1, strides, dilations, nothing, nothing)
    neither = signs == 0
    if neither.any():
        every = np.ones((1, 1, *weights.shape[1:]), np.float32)
        result -= convolve(neither.astype(np.float32), every, strides, dilations, nothing, nothing)
    return result
