"""Some pixels of a row under a window, channel by channel: what depthwise convolution and pooling are made of."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from irrun.kernels.compiled.host import LANES, REGISTERS
from irrun.kernels.compiled.native import intrinsic
from irrun.kernels.compiled.vectors import Vectors

MULTIPLY, ADD, RAISE, MULTIPLY_HALVES = range(4)
"""The sum of the elements of a window times weights, the mean of them, the largest, where NaN counts as -inf, and the
sum of bf16 times weights."""

VECTORS: Final = 4 if REGISTERS == 32 else 2
"""Vectors of channels at a time, at most."""

PIXELS, FEW = 6, 3
"""Pixels at a time; there are variants for one as well."""

VARIANTS: Final = tuple(product((MULTIPLY, ADD, RAISE, MULTIPLY_HALVES), (PIXELS, FEW, 1), range(1, VECTORS + 1)))
"""The kinds, pixels and vectors of all loops that there are."""


@intrinsic("void", *["int64"] * 20, *["float32"] * 3)
def reduce_windows(
    v: Vectors,
    kind: Any,
    pixels: Any,
    vectors: Any,
    high_taps: Any,
    wide_taps: Any,
    x: Any,
    x_pixel: Any,
    x_high: Any,
    x_wide: Any,
    weights: Any,
    weights_high: Any,
    weights_wide: Any,
    bias: Any,
    summand: Any,
    summand_pixel: Any,
    out: Any,
    out_pixel: Any,
    rounded: Any,
    rounded_pixel: Any,
    channels: Any,
    divisor: Any,
    low: Any,
    high: Any,
) -> None:
    """Reduce the windows of some pixels, whose taps are all inside the image.

    ``pixels`` are `PIXELS`, `FEW` or one. ``x``, ``weights``, ``bias``, ``summand``, ``out`` and ``rounded``, the
    result in bf16, are addresses of the first channel, of the first pixel, at the first tap; 0 stands for no array.
    Distances are in bytes: from pixel to pixel, and from tap to tap downwards (``high``) and across (``wide``). So many
    ``channels`` are written, which may be fewer than the vectors hold. Results are clipped to the bounds ``low`` and
    ``high``.
    """
    builder = v.builder
    for wanted, count, width in v.variants((kind, pixels, vectors), VARIANTS):
        masks = [*[None] * (width - 1), v.mask(builder.sub(channels, v.constant(LANES * (width - 1))))]
        multiplies = wanted in (MULTIPLY, MULTIPLY_HALVES)
        first = v.every(float("-inf") if wanted == RAISE else 0.0)
        starts = [v.variable(first) for _ in range(width)]
        if multiplies:
            with builder.if_then(v.is_given(bias)):
                for j, start in enumerate(starts):
                    builder.store(v.load(bias, j), start)
        totals = [[v.variable(builder.load(start)) for start in starts] for _ in range(count)]
        with v.times(high_taps) as outer:
            row = builder.add(x, builder.mul(outer.index, x_high))
            weights_row = builder.add(weights, builder.mul(outer.index, weights_high))
            with v.times(wide_taps) as inner:
                place = builder.add(row, builder.mul(inner.index, x_wide))
                if multiplies:
                    at = builder.add(weights_row, builder.mul(inner.index, weights_wide))
                    factors = [v.load(at, j) for j in range(width)]
                for i, pixel in enumerate(totals):
                    here = builder.add(place, builder.mul(x_pixel, v.constant(i))) if i else place
                    for j, total in enumerate(pixel):
                        value = v.load_halves(here, j) if wanted == MULTIPLY_HALVES else v.load(here, j)
                        before = builder.load(total)
                        if multiplies:
                            after = v.multiply_add(value, factors[j], before)
                        else:
                            after = builder.fadd(value, before) if wanted == ADD else v.largest(value, before)
                        builder.store(after, total)
        with builder.if_then(v.is_given(summand)):
            for i, pixel in enumerate(totals):
                here = builder.add(summand, builder.mul(summand_pixel, v.constant(i)))
                for j, total in enumerate(pixel):
                    builder.store(builder.fadd(builder.load(total), v.load(here, j, masks[j])), total)
        least, most, size = v.splat(low), v.splat(high), v.splat(divisor)
        for pixel in totals:
            for total in pixel:
                value = builder.load(total)
                if multiplies:
                    value = v.largest(least, v.smallest(most, value))
                elif wanted == ADD:
                    value = builder.fdiv(value, size)
                builder.store(value, total)
        for target, distance, is_rounded in ((out, out_pixel, False), (rounded, rounded_pixel, True)):
            if is_rounded and not multiplies:
                continue
            with builder.if_then(v.is_given(target)):
                for i, pixel in enumerate(totals):
                    here = builder.add(target, builder.mul(distance, v.constant(i)))
                    for j, total in enumerate(pixel):
                        value = builder.load(total)
                        v.store(v.rounded(value) if is_rounded else value, here, j, masks[j])
