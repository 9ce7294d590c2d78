"""Convolution with constant weights: all work that does not depend on the input is done in advance.

Images are channels-last in memory but passed and returned as views [N, C, *S], so that consecutive convolutions need no
conversion and other callers no special case.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irrun.kernels.convolution_blocks import TILE, Blocks
from irrun.kernels.convolution_products import Products
from irrun.kernels.epilogue import Activation, Epilogue
from irrun.kernels.layout import channels_first, channels_last
from irrun.kernels.threads import Array
from irrun.kernels.windows import Geometry, pad


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
        if target.ndim < out.ndim and not np.may_share_memory(target, out):
            np.copyto(channels_last(out), target.reshape(channels_last(out).shape))
        return out

    def _images(self, x: Array) -> Array:
        """View [N, C, *S] as [N, *S, C], with the spatial axes of the kernel."""
        images = channels_last(x)
        is_merged = len(self.kind.geometry.sizes) < x.ndim - 2
        return images.reshape(len(images), math.prod(images.shape[1:-1]), images.shape[-1]) if is_merged else images


def prepare_convolution(
    weights: Array,
    geometry: Geometry,
    batch: int,
    bias: Array | None = None,
    activation: Activation | None = None,
    accurate: bool = False,
    least: Array | None = None,
) -> PreparedConvolution:
    """Prepare the convolution of x [N, G * I, *S] with weights [G, O / G, I, *K], plus ``bias`` [O].

    ``accurate`` forbids transforms that lose precision. ``least`` [C] is a lower bound that x is clipped to first, for
    kernels of one element without padding. Negative padding crops.
    """
    groups, filters, depth = weights.shape[:3]
    shape = (batch, groups * filters, *geometry.counts)
    if geometry.is_dense:
        points = (math.prod(geometry.counts),)
        geometry, weights = Geometry((1,), (1,), (1,), (0,), points, points), weights.reshape(groups, filters, depth, 1)
    epilogue = Epilogue(None if bias is None else np.ascontiguousarray(bias, weights.dtype).reshape(-1), activation)
    return PreparedConvolution(_choose(weights, geometry, epilogue, batch, accurate, least), shape, weights.dtype)


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
        and np.isfinite(weights).all()
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


def convolve(data: Array, weights: Array, geometry: Geometry) -> Array:
    """Cross-correlate data [N, G * I, *S], zero-padded, with weights [G, O, I, *K]: [N, G * O, *out]."""
    return prepare_convolution(weights, geometry, len(data), accurate=True)(data)


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
