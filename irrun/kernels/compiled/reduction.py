"""Some pixels of a row under a window, channel by channel: what depthwise convolution and pooling are made of."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba.core import types

from irrun.kernels.compiled.native import intrinsic
from irrun.kernels.compiled.vectors import LANES, REGISTERS, Vectors

MULTIPLY, ADD, RAISE = range(3)
"""The sum of the elements of a window times weights, the mean of them, and the largest; there NaN counts as -inf."""

VECTORS: Final = 4 if REGISTERS == 32 else 2
"""Vectors of channels at a time, at most."""

PIXELS, FEW = 6, 3
"""Pixels at a time; there are variants for one as well."""


@intrinsic
def reduce_windows(
    typingctx: Any,
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
    channels: Any,
    divisor: Any,
    low: Any,
    high: Any,
) -> Any:
    """Reduce the windows of some pixels, whose taps are all inside the image.

    ``pixels`` are `PIXELS`, `FEW` or one. ``x``, ``weights``, ``bias``, ``summand`` and ``out`` are addresses
    of the first channel, of the first pixel, at the first tap; ``bias`` and ``summand`` may be 0. Distances are in
    bytes: from pixel to pixel, and from tap to tap downwards (``high``) and across (``wide``). So many ``channels`` are
    written, which may be fewer than the vectors hold. Results are clipped to the bounds ``low`` and ``high``.
    """

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        for wanted in (MULTIPLY, ADD, RAISE):
            for count in (PIXELS, FEW, 1):
                for width in range(1, VECTORS + 1):
                    first, second, third = (
                        builder.icmp_signed("==", given, ir.Constant(given.type, number))
                        for given, number in zip(args, (wanted, count, width), strict=False)
                    )
                    with builder.if_then(builder.and_(builder.and_(first, second), third)):
                        _reduce(Vectors(builder), wanted, count, width, *args[3:])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 18, *[types.float32] * 3), build


def _reduce(
    v: Vectors,
    kind: int,
    pixels: int,
    vectors: int,
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
    channels: Any,
    divisor: Any,
    low: Any,
    high: Any,
) -> None:
    builder = v.builder
    masks = [*[None] * (vectors - 1), v.mask(builder.sub(channels, v.constant(LANES * (vectors - 1))))]
    first = v.every(float("-inf") if kind == RAISE else 0.0)
    starts = [v.variable(first) for _ in range(vectors)]
    if kind == MULTIPLY:
        with builder.if_then(v.is_given(bias)):
            for j, start in enumerate(starts):
                builder.store(v.load(bias, j), start)
    totals = [[v.variable(builder.load(start)) for start in starts] for _ in range(pixels)]
    with v.times(high_taps) as outer:
        row = builder.add(x, builder.mul(outer.index, x_high))
        weights_row = builder.add(weights, builder.mul(outer.index, weights_high))
        with v.times(wide_taps) as inner:
            place = builder.add(row, builder.mul(inner.index, x_wide))
            if kind == MULTIPLY:
                at = builder.add(weights_row, builder.mul(inner.index, weights_wide))
                factors = [v.load(at, j) for j in range(vectors)]
            for i, pixel in enumerate(totals):
                here = builder.add(place, builder.mul(x_pixel, v.constant(i))) if i else place
                for j, total in enumerate(pixel):
                    value, before = v.load(here, j), builder.load(total)
                    if kind == MULTIPLY:
                        after = v.multiply_add(value, factors[j], before)
                    else:
                        after = builder.fadd(value, before) if kind == ADD else v.largest(value, before)
                    builder.store(after, total)
    with builder.if_then(v.is_given(summand)):
        for i, pixel in enumerate(totals):
            here = builder.add(summand, builder.mul(summand_pixel, v.constant(i)))
            for j, total in enumerate(pixel):
                builder.store(builder.fadd(builder.load(total), v.load(here, j, masks[j])), total)
    least, most, count = v.splat(low), v.splat(high), v.splat(divisor)
    for i, pixel in enumerate(totals):
        here = builder.add(out, builder.mul(out_pixel, v.constant(i)))
        for j, total in enumerate(pixel):
            value = builder.load(total)
            if kind == MULTIPLY:
                value = v.largest(least, v.smallest(most, value))
            elif kind == ADD:
                value = builder.fdiv(value, count)
            v.store(value, here, j, masks[j])
