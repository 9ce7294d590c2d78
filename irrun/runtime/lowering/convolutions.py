"""Convolutions as products: with the pixels that each tap meets, or by tiles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

from irrun.kernels.winograd import is_worth_tiles
from irrun.ops._declared.fused.fused_products import FEW_CHANNELS, FusedConvolution
from irrun.runtime.lowering.builder import BF16_BITS, Builder, Unsupported, is_symbolic, lowers, require_f32
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.images import emit_depthwise
from irrun.runtime.lowering.products import (
    Factors,
    Operands,
    are_finite,
    as_images,
    emit_channels_last,
    emit_operands,
    emit_product,
    emit_product_of_rows,
    epilogue,
    types,
    window_geometry,
)
from irrun.runtime.lowering.winograd import emit_winograd
from irrun.runtime.packing import FORMS
from irrun.runtime.view import Operand
from irrun.tensor import Array
from irrun_kernels.pixels import ImageWindows

Algorithm = Literal["depthwise", "Winograd", "product by rows of taps", "product by taps"]
"""Channel by channel; tiles of 4 x 4 results; a product with all taps of a row at a time, or with each tap."""


@lowers(FusedConvolution)
def lower_convolution(op: FusedConvolution, builder: Builder, data: Operand, summand: Operand | None = None) -> Any:
    """A convolution as a product, by tiles, or channel by channel."""
    end = epilogue(op.activation)
    groups, filters, depth, *kernel = op.weights.shape
    require_f32(summand, op.weights)
    if data.ndim not in (3, 4, 5):
        raise Unsupported(f"images of {data.ndim} axes")
    if data.shape[1] != groups * depth:
        raise Unsupported("channels that do not fit the weights")
    geometry, counts = window_geometry(op.source.windows(data.ndim - 2), kernel, data)
    is_dilated = max(geometry.dilations) > 1
    if (op.is_depthwise or is_dilated) and not are_finite(op):
        raise Unsupported("weights that are not finite, of which padding leaves out some")

    shape = (data.shape[0], groups * filters, *counts)
    may_tile = geometry[:3] == ((1, 3, 3), (1, 1, 1), (1, 1, 1)) and len(counts) == 2 and not is_symbolic(*shape)
    fits = may_tile and groups == 1 and not op.accurate
    algorithm = algorithm_of(
        geometry,
        groups,
        depth,
        is_depthwise=op.is_depthwise,
        is_padded=data.dtype == BF16_BITS,
        has_tiles=fits and is_worth_tiles(counts, data.shape[0], filters, depth) and are_finite(op),
    )
    builder.algorithm = algorithm

    x, weights = emit_operands(op, builder, data)
    is_copied = algorithm == "product by rows of taps" and op.least is None
    x = as_images(x) if is_copied else emit_channels_last(builder, as_images(x))
    added = None if summand is None else emit_channels_last(builder, as_images(summand))
    if op.least is not None:
        e = Expression(builder)
        x = e.emit_into(e("maximum", e.read(x), e.read(op.least.reshape(-1, 1, 1))), builder.images(x.shape))
    outs = [builder.result_images(shape, dtype) for dtype in types(op)]
    given = Operands(x, outs, added, end, geometry)
    if algorithm == "depthwise":
        emit_depthwise(builder, op.rounded_weights[:, 0, 0], op.bias, given)
    elif algorithm == "Winograd":
        emit_winograd(op, builder, given)
    elif algorithm == "product by rows of taps":
        emit_product_of_rows(builder, Factors("few", weights, weights), given, op.bias)
    elif is_dilated and not is_symbolic(*x.shape[2:], *counts):
        _emit_parts(builder, weights, given, op.bias)
    else:
        emit_product(builder, Factors("taps", weights, weights), given, op.bias, 0)
    return tuple(out[:, :, 0] if data.ndim == 3 else out for out in outs)


def algorithm_of(
    geometry: ImageWindows,
    groups: int,
    depth: int,
    *,
    is_depthwise: bool,
    is_padded: bool = False,
    has_tiles: bool = False,
) -> Algorithm:
    """Choose how a convolution is computed, of what is possible.

    A product sums few channels at a time if a tap has few: then those of all taps of a row are its channels, unless
    each tap is padded.
    """
    if is_depthwise:
        return "depthwise"
    if has_tiles:
        return "Winograd"
    has_few = groups == 1 and depth < FEW_CHANNELS and geometry.taps[2] > 1 and geometry.dilations[2] == 1
    return "product by rows of taps" if has_few and not is_padded else "product by taps"


def _emit_parts(builder: Builder, weights: Array, given: Operands, bias: Array | None) -> None:
    """Multiply the taps that meet pixels: those of a dilated kernel are so far apart that many meet padding."""
    parts = parts_of(given.geometry, given.x.shape[2:], given.outs[0].shape[2:])
    # All parts with the same taps along other axes share weights: those of all rows of taps.
    first, last = min(part.taps[0].start for part in parts), max(part.taps[0].stop for part in parts)
    for part in parts:
        here, *others = part.taps
        kept = here if FORMS[given.x.dtype].is_padded else slice(first, last)
        row = math.prod(each.stop - each.start for each in others)
        taps = (kept, *others)
        key = ("taps", *((each.start, each.stop) for each in taps))
        own: Any = (..., *taps[3 - weights.ndim :])
        before, after = (here.start - kept.start) * row, (kept.stop - here.stop) * row
        factors = Factors(key, weights, weights[own], before=before, after=after)
        emit_product(builder, factors, part.of(given), bias, 0)


class Part(NamedTuple):
    """The ``results`` of a convolution along its spatial axes, and the ``taps`` that meet pixels for any of them."""

    results: tuple[slice, ...]
    taps: tuple[slice, ...]

    def of(self, given: Operands) -> Operands:
        """These results, and windows with these taps over the images from the first pixel that they meet."""
        geometry = given.geometry
        taps, begins, pixels = list(geometry.taps), list(geometry.begins), []
        for axis, (results, own) in enumerate(zip(self.results, self.taps, strict=True), start=3 - len(self.taps)):
            begin = begins[axis] - own.start * geometry.dilations[axis] - results.start * geometry.strides[axis]
            taps[axis], begins[axis] = own.stop - own.start, max(begin, 0)
            pixels.append(slice(max(-begin, 0), None))
        met: Any = (..., *pixels)
        here: Any = (..., *self.results)
        return given._replace(
            x=given.x[met],
            outs=[out[here] for out in given.outs],
            summand=None if given.summand is None else given.summand[here],
            geometry=geometry._replace(taps=tuple(taps), begins=tuple(begins)),
        )


def parts_of(geometry: ImageWindows, sizes: Sequence[int], counts: Sequence[int]) -> list[Part]:
    """The parts of a convolution with the taps that meet pixels, or the whole where these are not much fewer.

    It has ``counts`` results along its spatial axes.
    """
    axes = range(3 - len(counts), 3)
    whole = Part(tuple(slice(0, count) for count in counts), tuple(slice(0, geometry.taps[axis]) for axis in axes))
    bands = [_bands(geometry, *each) for each in zip(axes, sizes, counts, strict=True)]
    parts = [Part(*zip(*each, strict=True)) for each in itertools.product(*bands)]
    return parts if sum(map(_products, parts)) < _WORTH_CUTTING * _products(whole) else [whole]


_WORTH_CUTTING: Final = 0.85
"""The share of products that the parts of a convolution may have at most: each part is a call."""


def _bands(geometry: ImageWindows, axis: int, size: int, count: int) -> list[tuple[slice, slice]]:
    """Consecutive results along an axis that have the same taps, and these: one at least."""
    taps, stride, dilation, begin = (each[axis] for each in geometry[:4])

    def met(result: int) -> slice:
        before = begin - result * stride
        start = min(max(-(-before // dilation), 0), taps - 1)
        return slice(start, max(min((size - 1 + before) // dilation + 1, taps), start + 1))

    if dilation == 1:
        return [(slice(0, count), slice(0, taps))]
    runs = ((taps, list(results)) for taps, results in itertools.groupby(range(count), met))
    return [(slice(results[0], results[-1] + 1), taps) for taps, results in runs]


def _products(part: Part) -> int:
    """The products of each channel and filter."""
    return math.prod(each.stop - each.start for each in (*part.results, *part.taps))
