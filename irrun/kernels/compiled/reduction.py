"""Some pixels of a row under a window, channel by channel: what depthwise convolution and pooling are made of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

from irrun.kernels.compiled.host import REGISTERS
from irrun.kernels.compiled.micro import masks_of
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
        masks = masks_of(v, channels, width)
        multiplies = wanted in (MULTIPLY, MULTIPLY_HALVES)
        first = v.every(float("-inf") if wanted == RAISE else 0.0)
        starts = [v.variable(first) for _ in range(width)]
        if multiplies:
            with builder.if_then(v.is_given(bias)):
                for j, start in enumerate(starts):
                    builder.store(v.load(bias, j), start)
        totals = [[v.variable(builder.load(start)) for start in starts] for _ in range(count)]

        def accumulate(place: Any, j: int, factor: Any, before: Any, kind: int = wanted) -> Any:
            value = v.load_halves(place, j) if kind == MULTIPLY_HALVES else v.load(place, j)
            if kind in (MULTIPLY, MULTIPLY_HALVES):
                return v.multiply_add(value, factor, before)
            return builder.fadd(value, before) if kind == ADD else v.largest(value, before)

        at = (weights, weights_high, weights_wide) if multiplies else None
        for_each_tap(v, totals, (high_taps, wide_taps), (x, x_high, x_wide), x_pixel, at, accumulate)
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


def for_each_tap(
    v: Vectors,
    totals: list[list[Any]],
    taps: tuple[Any, Any],
    x: tuple[Any, Any, Any],
    x_pixel: Any,
    weights: tuple[Any, Any, Any] | None,
    accumulate: Callable[[Any, int, Any, Any], Any],
) -> None:
    """Emit the loops over the taps of some pixels, whose variables are ``totals``.

    ``x`` and ``weights`` are an address, and the distances of taps downwards and across. ``accumulate`` gets the
    address of a pixel, the number of a vector, weights for it, and the total before.
    """
    builder = v.builder

    def moved(places: tuple[Any, Any, Any], high: Any, wide: Any) -> Any:
        start, down, across = places
        return builder.add(builder.add(start, builder.mul(high, down)), builder.mul(wide, across))

    with v.times(taps[0]) as outer, v.times(taps[1]) as inner:
        place = moved(x, outer.index, inner.index)
        at = None if weights is None else moved(weights, outer.index, inner.index)
        factors = [None if at is None else v.load(at, j) for j in range(len(totals[0]))]
        for i, pixel in enumerate(totals):
            here = builder.add(place, builder.mul(x_pixel, v.constant(i))) if i else place
            for j, (total, factor) in enumerate(zip(pixel, factors, strict=True)):
                builder.store(accumulate(here, j, factor, builder.load(total)), total)
