"""Some pixels of a row under a window, channel by channel: what depthwise convolution and pooling are made of."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

from irrun_kernels import ir
from irrun_kernels.epilogue import begin, dequantize_sums, end, masks_of, spaced
from irrun_kernels.host import REGISTERS
from irrun_kernels.native import intrinsic, several
from irrun_kernels.vectors import Vectors

MULTIPLY, ADD, RAISE, MULTIPLY_BF16 = range(4)
"""The sum of the elements of a window times weights, the mean of them, the largest, where NaN counts as -inf, and the
sum of bf16 times weights."""

VECTORS: Final = 4 if REGISTERS == 32 else 2
"""Vectors of channels at a time, at most."""

PIXELS: Final = (6, 3)
"""Pixels at a time, many or few; there are variants for one as well."""

VARIANTS: Final = tuple(product((MULTIPLY, ADD, RAISE, MULTIPLY_BF16), (*PIXELS, 1), range(1, VECTORS + 1)))
"""The kinds, pixels and vectors of all loops that there are."""

BYTE_PIXELS: Final = (4, 4)
"""The same for bytes."""

LARGEST, WHOLE, PARTIAL = range(3)
"""The largest byte of a window, and the sum of products of a window that is inside of the image, or in part."""

BYTE_VARIANTS: Final = tuple(product((LARGEST, WHOLE, PARTIAL), (BYTE_PIXELS[0], 1), range(1, VECTORS + 1)))
"""The kinds, pixels and vectors of all loops over bytes."""


@intrinsic("void", *several(3, 3, 5, 4), "int64", *several(2, 2, 2), "int64", *["float32"] * 3)
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

    ``variant`` is one of `VARIANTS`, ``taps`` are the numbers of taps along each axis. ``x`` and ``weights`` are an
    address at the first tap, and bytes: for ``x`` from pixel to pixel, and from tap to tap along each axis.
    ``summand``, ``out`` and ``rounded``, the result in bf16, are an address, or 0, and the bytes from pixel to pixel,
    ``bias`` is an address, or 0. So many ``channels`` are written, which may be fewer than the vectors hold. Results
    are clipped to the bounds ``low`` and ``high``.
    """
    builder = v.builder
    for wanted, count, width in v.variants(variant, VARIANTS):
        masks = masks_of(v, channels, width)
        multiplies = wanted in (MULTIPLY, MULTIPLY_BF16)
        given, added = (bias, spaced(v, *summand)) if multiplies else (None, None)
        totals = begin(v, count, masks, given, added, float("-inf") if wanted == RAISE else 0.0)

        def accumulate(place: Any, j: int, factor: Any, before: Any, kind: int = wanted) -> Any:
            value = v.load_halves(place, j) if kind == MULTIPLY_BF16 else v.load(place, j)
            if kind in (MULTIPLY, MULTIPLY_BF16):
                return v.multiply_add(value, factor, before)
            return builder.fadd(value, before) if kind == ADD else v.largest(value, before)

        for_each_tap(v, totals, taps, x, weights if multiplies else None, accumulate)
        if wanted == ADD:
            size = v.splat(divisor)
            for total in (total for pixel in totals for total in pixel):
                builder.store(builder.fdiv(builder.load(total), size), total)
        targets = (spaced(v, *out), None), (spaced(v, *rounded), lambda: v.rounded)
        end(v, totals, masks, low, high, *targets[: 1 + multiplies])


def for_each_tap(
    v: Vectors,
    totals: list[list[Any]],
    taps: Any,
    x: Any,
    weights: Any,
    accumulate: Callable[[Any, int, Any, Any], Any],
    type: Any = None,
) -> None:
    """Emit the loops over the taps of some pixels, whose variables are ``totals``.

    ``accumulate`` gets the address of a pixel, the number of a vector, weights for it or None, and the total before.
    ``type`` is that of vectors of weights, f32 if it is None.
    """
    builder = v.builder

    def moved(start: Any, *steps: Any) -> Any:
        for place, step in zip(places, steps, strict=True):
            start = v.beyond(start, place, step)
        return start

    with v.times(taps[0]) as deep, v.times(taps[1]) as down, v.times(taps[2]) as across:
        places = (deep, down, across)
        place = moved(x[0], *x[2:])
        at = None if weights is None else moved(*weights)
        factors = [None if at is None else v.load(at, j, type=type) for j in range(len(totals[0]))]
        for i, pixel in enumerate(totals):
            here = v.beyond(place, x[1], i) if i else place
            for j, (total, factor) in enumerate(zip(pixel, factors, strict=True)):
                builder.store(accumulate(here, j, factor, builder.load(total)), total)


@intrinsic("void", *several(3, 3, 5), "int64", *several(4, 3), "int64", "int64", *several(3, 2, 2))
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

    ``variant`` is one of `BYTE_VARIANTS`; ``channels`` and ``numbers`` are as in `dequantize_sums`, the others as in
    `reduce_windows`, but ``weights`` are i16. ``line`` are the addresses of factors, biases, and of words that the sums
    of whole windows begin with; elements of the others are multiplied less ``zero``. A summand has two addresses, for
    f32 and for bytes.
    """
    builder = v.builder
    *summands, distance = summand
    arrays = (*(spaced(v, array, distance) for array in summands), spaced(v, *out), spaced(v, *codes))
    *line, starts = line
    for kind, count, width in v.variants(variant, BYTE_VARIANTS):
        nothing = v.spread(builder.trunc(zero, v.word), v.words)
        if kind == WHOLE:
            start = [v.load(starts, j, type=v.words) for j in range(width)]
        else:
            start = [ir.Constant(v.bytes if kind == LARGEST else v.words, None)] * width
        totals = [[v.variable(each) for each in start] for _ in range(count)]

        def accumulate(place: Any, j: int, factor: Any, before: Any, kind: int = kind, nothing: Any = nothing) -> Any:
            value = v.load(place, j, type=v.bytes)
            if kind == LARGEST:
                return builder.select(builder.icmp_unsigned(">", value, before), value, before)
            words = builder.zext(value, v.words)
            if kind == PARTIAL:
                words = builder.sub(words, nothing)
            return builder.add(builder.mul(words, builder.sext(factor, v.words)), before)

        for_each_tap(v, totals, taps, x, None if kind == LARGEST else weights, accumulate, v.halves)
        if kind != LARGEST:
            sums = [[builder.load(total) for total in pixel] for pixel in totals]
            dequantize_sums(v, sums, line, channels, numbers, *arrays)
            continue
        masks = masks_of(v, channels, width)
        for i, pixel in enumerate(totals):
            for j, total in enumerate(pixel):
                v.store(builder.load(total), arrays[-1].row(i), j, masks[j])
