"""Convolution with constant weights: all work that does not depend on the input is done in advance.

Images are channels-last in memory but passed and returned as views [N, C, H, W], so that consecutive convolutions need
no conversion and other callers no special case.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.convolution_blocks import TILE, Geometry
from irrun.kernels.convolution_products import Columns, Pointwise
from irrun.kernels.epilogue import Activation, Epilogue
from irrun.kernels.layout import channels_first
from irrun.kernels.threads import Array
from irrun.kernels.windows import extent

_LONGEST_ROW: Final = 1 << 23
"""The most elements of the windows along a row, which the other algorithms copy together."""


class PreparedConvolution:
    """Computes activation(convolution of x + bias + summand), [N, C, *S].

    ``out`` and ``summand`` have the shape of the result; ``out`` may have any memory layout, and is returned. A newly
    allocated result is channels-last.
    """

    def __init__(self, kind: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.kind = kind
        self.shape = shape
        self.dtype = dtype

    def __call__(self, x: Array, out: Array | None = None, summand: Array | None = None) -> Array:
        if out is None:
            batch, channels, *spatial = self.shape
            out = channels_first(np.empty((batch, *spatial, channels), self.dtype))
        self.kind.run(_images(x), _images(out), None if summand is None else _images(summand))
        return out


class _Unprepared:
    """The fallback: three spatial axes, integers, negative padding, and rows whose windows exceed any block."""

    def __init__(
        self, weights: Array, windows: tuple[tuple[int, ...], ...], epilogue: Epilogue, shape: tuple[int, ...]
    ) -> None:
        self.weights, self.windows, self.epilogue = weights, windows, epilogue
        self.shape = shape

    def __call__(self, x: Array, out: Array | None = None, summand: Array | None = None) -> Array:
        from irrun.kernels.convolution import convolve

        result = convolve(x, self.weights, *self.windows)
        if self.epilogue.bias is not None:
            result += self.epilogue.bias.reshape(-1, *(1,) * (result.ndim - 2))
        if summand is not None:
            result += summand
        if self.epilogue.activation is not None:
            self.epilogue.activation(result)
        if out is None:
            return result
        np.copyto(out, result)
        return out


Prepared = PreparedConvolution | _Unprepared


def _images(x: Array) -> Array:
    """View [N, C, W] or [N, C, H, W] as [N, H, W, C]."""
    return (x[:, :, np.newaxis] if x.ndim == 3 else x).transpose(0, 2, 3, 1)


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
) -> Prepared:
    """Prepare the convolution of x [N, C, *S] with weights [O, I, *K] or [G, O / G, I, *K], plus ``bias`` [O].

    ``accurate`` forbids transforms that lose precision. ``least`` [C] is a lower bound that x is clipped to first, for
    kernels of one element without padding.
    """
    grouped = weights.reshape(groups, -1, input_shape[1] // groups, *weights.shape[weights.ndim - len(strides) :])
    spans = [extent(taps, d) for taps, d in zip(grouped.shape[3:], dilations, strict=True)]
    places = zip(input_shape[2:], pads_begin, pads_end, spans, strides, strict=True)
    counts = [(size + begin + end - span) // stride + 1 for size, begin, end, span, stride in places]
    shape = (input_shape[0], grouped.shape[0] * grouped.shape[1], *counts)
    epilogue = Epilogue(None if bias is None else np.ascontiguousarray(bias, weights.dtype).reshape(-1), activation)
    windows = (tuple(strides), tuple(dilations), tuple(pads_begin), tuple(pads_end))
    plain = len(strides) in (1, 2) and weights.dtype.kind == "f" and 0 not in (*shape, *input_shape)
    taps = math.prod(grouped.shape[3:])
    if taps > 1 and grouped.shape[2] * taps * groups * counts[-1] > _LONGEST_ROW:
        plain = False
    if not plain or any(pad < 0 for pad in (*pads_begin, *pads_end)):
        return _Unprepared(grouped, windows, epilogue, shape)
    flat = len(strides) == 1
    geometry = Geometry(
        *(
            (1 if fill else 0, values[0]) if flat else (values[0], values[1])
            for values, fill in ((grouped.shape[3:], 1), (strides, 1), (dilations, 1), (pads_begin, 0))
        ),
        *((1, values[0]) if flat else (values[0], values[1]) for values in (input_shape[2:], counts)),
    )
    grouped = grouped[:, :, :, np.newaxis] if flat else grouped
    return PreparedConvolution(_choose(grouped, geometry, epilogue, shape[0], accurate, least), shape, weights.dtype)


def _choose(
    weights: Array, geometry: Geometry, epilogue: Epilogue, batch: int, accurate: bool, least: Array | None
) -> Any:
    groups, filters, depth = weights.shape[:3]
    if least is not None:
        return Pointwise(weights[0], geometry, epilogue, least)
    if groups > 1:
        if depth > 1:
            from irrun.kernels.grouped_convolution import Grouped

            return Grouped(weights, geometry, epilogue)
        from irrun.kernels.depthwise import Depthwise

        return Depthwise(weights, geometry, epilogue)
    if geometry.kernel == (1, 1) and geometry.is_inside:
        return Pointwise(weights[0], geometry, epilogue)
    if not accurate and weights.dtype == np.float32 and _worth_winograd(geometry, filters, depth, batch):
        from irrun.kernels.winograd import Winograd

        return Winograd(weights[0], geometry, epilogue)
    return Columns(weights[0], geometry, epilogue)


def _worth_winograd(geometry: Geometry, filters: int, depth: int, batch: int) -> bool:
    if geometry.kernel != (3, 3) or (geometry.strides, geometry.dilations) != ((1, 1), (1, 1)):
        return False
    if min(filters, depth) < 32:
        return False
    tiles = batch * math.prod(-(-count // TILE) for count in geometry.counts)
    used = batch * math.prod(geometry.counts) / (tiles * TILE * TILE)
    return tiles >= max(32, filters // 24) and used > 0.6
