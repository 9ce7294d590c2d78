"""Windows over images of bytes whose channels are neighbours in memory: depthwise convolution, and the largest byte."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from llvmlite import ir

from irrun.kernels.compiled.bytes import finish
from irrun.kernels.compiled.micro import Rows, masks_of
from irrun.kernels.compiled.native import intrinsic
from irrun.kernels.compiled.reduction import VECTORS, for_each_tap
from irrun.kernels.compiled.vectors import Vectors

PIXELS: Final = 4
"""Pixels at a time; there are variants for one as well."""


VARIANTS: Final = tuple(product((0, 1), (PIXELS, 1), range(1, VECTORS + 1)))
"""The presence of weights, the pixels and the vectors of each loop."""


@intrinsic("void", *["int64"] * 24)
def reduce_bytes(
    v: Vectors,
    weighted: Any,
    pixels: Any,
    vectors: Any,
    high_taps: Any,
    wide_taps: Any,
    x: Any,
    x_pixel: Any,
    x_high: Any,
    x_wide: Any,
    zero: Any,
    weights: Any,
    weights_high: Any,
    weights_wide: Any,
    factors: Any,
    biases: Any,
    channels: Any,
    numbers: Any,
    summand_pixel: Any,
    out_pixel: Any,
    codes_pixel: Any,
    summand: Any,
    summand_codes: Any,
    out: Any,
    codes: Any,
) -> None:
    """Reduce the windows of some pixels, whose taps are all inside the image: sums of products, or the largest byte.

    ``pixels`` are `PIXELS` or one. Addresses are those of the first channel, of the first pixel, at the first tap.
    Distances are in bytes: from pixel to pixel, and from tap to tap downwards (``high``) and across (``wide``).
    """
    builder = v.builder

    def pixels_of(array: Any, step: Any) -> Rows:
        return Rows(array, lambda i: builder.add(array, builder.mul(step, v.constant(i))))

    summands = (pixels_of(array, summand_pixel) for array in (summand, summand_codes))
    arrays = (*summands, pixels_of(out, out_pixel), pixels_of(codes, codes_pixel))
    for has_weights, count, width in v.variants((weighted, pixels, vectors), VARIANTS):
        start = v.every(0.0) if has_weights else ir.Constant(v.bytes, None)
        nothing = v.splat(builder.sitofp(zero, v.float))
        totals = [[v.variable(start) for _ in range(width)] for _ in range(count)]

        def accumulate(place: Any, j: int, factor: Any, before: Any, nothing: Any = nothing) -> Any:
            value = v.load(place, j, type=v.bytes)
            if factor is not None:
                return v.multiply_add(builder.fsub(v.widened(value), nothing), factor, before)
            return builder.select(builder.icmp_unsigned(">", value, before), value, before)

        at = (weights, weights_high, weights_wide) if has_weights else None
        for_each_tap(v, totals, (high_taps, wide_taps), (x, x_high, x_wide), x_pixel, at, accumulate)
        if has_weights:
            finish(v, totals, factors, biases, channels, numbers, *arrays)
            continue
        masks = masks_of(v, channels, width)
        for i, pixel in enumerate(totals):
            for j, total in enumerate(pixel):
                v.store(builder.load(total), arrays[-1].row(i), j, masks[j])
