"""Some pixels of a row under a window, channel by channel: what depthwise convolution and pooling are made of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

from irrun_kernels import ir
from irrun_kernels.bytes import finish
from irrun_kernels.host import REGISTERS
from irrun_kernels.micro import Rows, masks_of
from irrun_kernels.native import intrinsic, several
from irrun_kernels.vectors import Vectors

MULTIPLY, ADD, RAISE, MULTIPLY_HALVES = range(4)
"""The sum of the elements of a window times weights, the mean of them, the largest, where NaN counts as -inf, and the
sum of bf16 times weights."""

VECTORS: Final = 4 if REGISTERS == 32 else 2
"""Vectors of channels at a time, at most."""

PIXELS: Final = (6, 3)
"""Pixels at a time, many or few; there are variants for one as well."""

VARIANTS: Final = tuple(product((MULTIPLY, ADD, RAISE, MULTIPLY_HALVES), (*PIXELS, 1), range(1, VECTORS + 1)))
"""The kinds, pixels and vectors of all loops that there are."""

BYTE_PIXELS: Final = (4, 4)
"""The same for bytes."""

BYTE_VARIANTS: Final = tuple(product((0, 1), (BYTE_PIXELS[0], 1), range(1, VECTORS + 1)))
"""The presence of weights, the pixels and the vectors of each loop over bytes."""


@intrinsic("void", *several(3, 2, 4, 3), "int64", *several(2, 2, 2), "int64", *["float32"] * 3)
def reduce_windows(
    v: Vectors,
    variant: Any,
    taps: Any,
    x: Any,
    weights: Any,
    bias: Any,
    summand: Any,
    out: Any,
    rounded: Any,
    channels: Any,
    divisor: Any,
    low: Any,
    high: Any,
) -> None:
    """Reduce the windows of some pixels, whose taps are all inside the image.

    ``variant`` is one of `VARIANTS`, ``taps`` are the numbers of taps downwards and across. ``x`` and ``weights`` are
    an address at the first tap, and bytes: for ``x`` from pixel to pixel, and from tap to tap downwards and across.
    ``summand``, ``out`` and ``rounded``, the result in bf16, are an address, or 0, and the bytes from pixel to pixel,
    ``bias`` is an address, or 0. So many ``channels`` are written, which may be fewer than the vectors hold. Results
    are clipped to the bounds ``low`` and ``high``.
    """
    builder = v.builder
    for wanted, count, width in v.variants(variant, VARIANTS):
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

        for_each_tap(v, totals, taps, x, weights if multiplies else None, accumulate)
        with builder.if_then(v.is_given(summand[0])):
            for i, pixel in enumerate(totals):
                here = builder.add(summand[0], builder.mul(summand[1], v.constant(i)))
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
        for (target, distance), is_rounded in ((out, False), (rounded, True)):
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
    taps: Any,
    x: Any,
    weights: Any,
    accumulate: Callable[[Any, int, Any, Any], Any],
) -> None:
    """Emit the loops over the taps of some pixels, whose variables are ``totals``.

    ``accumulate`` gets the address of a pixel, the number of a vector, weights for it or None, and the total before.
    """
    builder = v.builder

    def moved(start: Any, down: Any, across: Any) -> Any:
        return builder.add(builder.add(start, builder.mul(outer, down)), builder.mul(inner, across))

    with v.times(taps[0]) as outer, v.times(taps[1]) as inner:
        place = moved(x[0], x[2], x[3])
        at = None if weights is None else moved(*weights)
        factors = [None if at is None else v.load(at, j) for j in range(len(totals[0]))]
        for i, pixel in enumerate(totals):
            here = builder.add(place, builder.mul(x[1], v.constant(i))) if i else place
            for j, (total, factor) in enumerate(zip(pixel, factors, strict=True)):
                builder.store(accumulate(here, j, factor, builder.load(total)), total)


@intrinsic("void", *several(3, 2, 4), "int64", *several(3, 2), "int64", "int64", *several(3, 2, 2))
def reduce_bytes(
    v: Vectors,
    variant: Any,
    taps: Any,
    x: Any,
    zero: Any,
    weights: Any,
    line: Any,
    channels: Any,
    numbers: Any,
    summand: Any,
    out: Any,
    codes: Any,
) -> None:
    """Reduce the windows of some pixels, whose taps are all inside the image: sums of products, or the largest byte.

    ``variant`` is one of `BYTE_VARIANTS`; ``line``, ``channels`` and ``numbers`` are as in `finish`, the others as in
    `reduce_windows`. A summand has two addresses, for f32 and for bytes.
    """
    builder = v.builder

    def pixels_of(array: Any, step: Any) -> Rows:
        return Rows(array, lambda i: builder.add(array, builder.mul(step, v.constant(i))))

    *summands, distance = summand
    arrays = (*(pixels_of(array, distance) for array in summands), pixels_of(*out), pixels_of(*codes))
    for has_weights, count, width in v.variants(variant, BYTE_VARIANTS):
        start = v.every(0.0) if has_weights else ir.Constant(v.bytes, None)
        nothing = v.splat(builder.sitofp(zero, v.float))
        totals = [[v.variable(start) for _ in range(width)] for _ in range(count)]

        def accumulate(place: Any, j: int, factor: Any, before: Any, nothing: Any = nothing) -> Any:
            value = v.load(place, j, type=v.bytes)
            if factor is not None:
                return v.multiply_add(builder.fsub(v.widened(value), nothing), factor, before)
            return builder.select(builder.icmp_unsigned(">", value, before), value, before)

        for_each_tap(v, totals, taps, x, weights if has_weights else None, accumulate)
        if has_weights:
            finish(v, totals, line, channels, numbers, *arrays)
            continue
        masks = masks_of(v, channels, width)
        for i, pixel in enumerate(totals):
            for j, total in enumerate(pixel):
                v.store(builder.load(total), arrays[-1].row(i), j, masks[j])
