"""Windows over images of bytes whose channels are neighbours in memory: depthwise convolution, and the largest byte."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

from llvmlite import ir

from irrun.kernels.compiled.bytes import finish
from irrun.kernels.compiled.micro import Rows, masks_of
from irrun.kernels.compiled.native import intrinsic, several
from irrun.kernels.compiled.reduction import VECTORS, for_each_tap
from irrun.kernels.compiled.vectors import Vectors

PIXELS: Final = 4
"""Pixels at a time; there are variants for one as well."""


VARIANTS: Final = tuple(product((0, 1), (PIXELS, 1), range(1, VECTORS + 1)))
"""The presence of weights, the pixels and the vectors of each loop."""


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

    ``variant`` is one of `VARIANTS`; ``line``, ``channels`` and ``numbers`` are as in `finish`, the others as in
    `reduce_windows`. A summand has two addresses, for f32 and for bytes.
    """
    builder = v.builder

    def pixels_of(array: Any, step: Any) -> Rows:
        return Rows(array, lambda i: builder.add(array, builder.mul(step, v.constant(i))))

    *summands, distance = summand
    arrays = (*(pixels_of(array, distance) for array in summands), pixels_of(*out), pixels_of(*codes))
    for has_weights, count, width in v.variants(variant, VARIANTS):
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
