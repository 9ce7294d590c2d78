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
    alone,
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
    has_few = has_few_channels(groups, depth, geometry)
    parts = parts_of(geometry, as_images(data), counts, is_cut=not has_few and not op.is_depthwise)
    all_taps = tuple(slice(0, taps) for taps in geometry.taps[3 - len(counts) :])
    is_whole = all(part.taps == all_taps for part in parts)
    if (op.is_depthwise or not is_whole) and not are_finite(op):
        raise Unsupported("weights that are not finite, of which padding leaves out some")

    shape = (data.shape[0], groups * filters, *counts)
    may_tile = geometry[:3] == ((1, 3, 3), (1, 1, 1), (1, 1, 1)) and len(counts) == 2 and not is_symbolic(*shape)
    fits = may_tile and is_whole and groups == 1 and not op.accurate
    algorithm = algorithm_of(
        is_depthwise=op.is_depthwise,
        has_few=has_few and data.dtype != BF16_BITS,
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
        filters_of_taps = _factors("", op.rounded_weights, parts[0].taps).weights
        emit_depthwise(builder, filters_of_taps[:, 0, 0], op.bias, parts[0].of(given))
    elif algorithm == "Winograd":
        emit_winograd(op, builder, given)
    elif algorithm == "product by rows of taps":
        emit_product_of_rows(builder, _factors("few", weights, parts[0].taps), parts[0].of(given), op.bias)
    else:
        # All parts with the same taps along other axes share weights: those of all rows of taps.
        first, last = min(part.taps[0].start for part in parts), max(part.taps[0].stop for part in parts)
        for part in parts:
            here = part.taps[0]
            kept = here if FORMS[x.dtype].is_padded else slice(first, last)
            factors = _factors("taps", weights, (kept, *part.taps[1:]))
            row = math.prod(each.stop - each.start for each in part.taps[1:])
            before, after = (here.start - kept.start) * row, (kept.stop - here.stop) * row
            emit_product(builder, factors._replace(before=before, after=after), part.of(given), op.bias, 0)
    return alone([out[:, :, 0] if data.ndim == 3 else out for out in outs])


def has_few_channels(groups: int, depth: int, geometry: ImageWindows) -> bool:
    """Return whether a product sums too few channels at a time, and may sum those of all taps of a row."""
    return groups == 1 and depth < FEW_CHANNELS and geometry.taps[2] > 1 and geometry.dilations[2] == 1


def algorithm_of(*, is_depthwise: bool, has_few: bool, has_tiles: bool = False) -> Algorithm:
    """Choose how a convolution is computed, of what is possible."""
    if is_depthwise:
        return "depthwise"
    if has_tiles:
        return "Winograd"
    return "product by rows of taps" if has_few else "product by taps"


def _factors(algorithm: str, weights: Array, taps: Sequence[slice]) -> Factors:
    """The weights [G, O, I, *K] of some taps."""
    here: Any = (..., *taps[3 - weights.ndim :])
    return Factors((algorithm, *((each.start, each.stop) for each in taps)), weights, weights[here])


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


def parts_of(geometry: ImageWindows, x: Operand, counts: Sequence[int], *, is_cut: bool) -> list[Part]:
    """The parts of a convolution with ``counts`` results along its spatial axes, without taps that meet only padding.

    Where taps are so far apart that many of them meet padding, the results are cut into parts that have few; others,
    and all if not ``is_cut``, are one part.
    """
    whole: list[tuple[slice, slice]] = []
    for axis, (size, count) in enumerate(zip(x.shape[2:], counts, strict=True), start=3 - len(counts)):
        taps = slice(0, geometry.taps[axis])
        met = taps if is_symbolic(size, count) else _taps(geometry, axis, size, 0, count - 1)
        whole.append((slice(0, count), met))
    one = Part(*zip(*whole, strict=True))
    if not is_cut or max(geometry.dilations) == 1 or is_symbolic(*x.shape[2:], *counts):
        return [one]
    bands = [
        _bands(geometry, axis, size, count) if geometry.dilations[axis] > 1 else [band]
        for axis, (size, count, band) in enumerate(zip(x.shape[2:], counts, whole, strict=True), start=3 - len(counts))
    ]
    cut = [Part(*zip(*each, strict=True)) for each in itertools.product(*bands)]
    return cut if sum(map(_products, cut)) < _WORTH_CUTTING * _products(one) else [one]


_WORTH_CUTTING: Final = 0.85
"""The share of products that the parts of a convolution may have at most: each part is a call."""


def _taps(geometry: ImageWindows, axis: int, size: int, first: int, last: int) -> slice:
    """The taps along an axis that meet pixels for any of the results from the first to the last: one at least."""
    taps, stride, dilation, begin = (each[axis] for each in geometry[:4])
    before, after = begin - last * stride, begin - first * stride
    start, least = (min(max(-(-place // dilation), 0), taps - 1) for place in (before, after))
    return slice(start, max(min((size - 1 + after) // dilation + 1, taps), least + 1))


def _bands(geometry: ImageWindows, axis: int, size: int, count: int) -> list[tuple[slice, slice]]:
    """Consecutive results along an axis that have the same taps, and these."""
    found: list[tuple[slice, slice]] = []
    for result in range(count):
        taps = _taps(geometry, axis, size, result, result)
        first = found.pop()[0].start if found and found[-1][1] == taps else result
        found.append((slice(first, result + 1), taps))
    return found


def _products(part: Part) -> int:
    """The products of each channel and filter."""
    return math.prod(each.stop - each.start for each in (*part.results, *part.taps))
