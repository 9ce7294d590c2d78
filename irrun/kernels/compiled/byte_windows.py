"""Windows over images of bytes whose channels are neighbours in memory: depthwise convolution, and the largest byte."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir

from irrun.kernels.compiled.bytes import finish, quantize_row
from irrun.kernels.compiled.functions import apply_to_rows
from irrun.kernels.compiled.host import LANES, REGISTERS
from irrun.kernels.compiled.images import inside
from irrun.kernels.compiled.micro import Rows, masks_of
from irrun.kernels.compiled.native import inlined, intrinsic, kernel, record
from irrun.kernels.compiled.vectors import Vectors

VECTORS: Final = 4 if REGISTERS == 32 else 2
"""Vectors of channels at a time, at most."""

PIXELS: Final = 4
"""Pixels at a time; there are variants for one as well."""


class ByteWindows(NamedTuple):
    """Arguments of `byte_windows`. Strides are in bytes; 0 stands for no array.

    ``x`` is [images, height, width, channels], ``codes`` [images, rows, columns, channels], as are ``out`` in f32 and
    ``summand``, of f32 or of ``summand_bytes``. Without ``weights``, results are the largest bytes of the windows. Else
    they are f32 [taps, channels] that hold integers, the products are of bytes less ``zero``, and ``factors``,
    ``biases``, ``numbers`` and what follows ``function`` are as in a product. A task has some rows of the result.
    """

    x: int
    images: int
    rows: int
    columns: int
    height: int
    width: int
    channels: int
    x_image: int
    x_row: int
    x_pixel: int
    kernel_height: int
    kernel_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    begin_height: int
    begin_width: int
    rows_per_task: int
    zero: int = 0
    weights: int = 0
    weights_row: int = 0
    factors: int = 0
    biases: int = 0
    numbers: int = 0
    out: int = 0
    out_image: int = 0
    out_row: int = 0
    out_pixel: int = 0
    codes: int = 0
    codes_image: int = 0
    codes_row: int = 0
    codes_pixel: int = 0
    summand: int = 0
    summand_image: int = 0
    summand_row: int = 0
    summand_pixel: int = 0
    summand_size: int = 4
    function: int = -1
    alpha: float = 0
    beta: float = 0
    levels_low: float = 0
    levels_high: float = 0
    levels_most: float = 0


@kernel(ByteWindows)
def byte_windows(arguments: Any, task: int, workspace: int) -> None:
    """Some rows of the result; workspace takes `RUN` f32."""
    c = record(arguments)
    alpha, beta = np.float32(c.alpha), np.float32(c.beta)
    low, high, most = np.float32(c.levels_low), np.float32(c.levels_high), np.float32(c.levels_most)
    for index in range(task * c.rows_per_task, min(c.images * c.rows, (task + 1) * c.rows_per_task)):
        image, y = index // c.rows, index % c.rows
        _reduce_row(c, image, y)
        if c.function >= 0:
            out = c.out + image * c.out_image + y * c.out_row
            apply_to_rows(c.function, out, c.out_pixel, c.columns, c.channels, alpha, beta, workspace)
            if c.codes != 0:
                codes = c.codes + image * c.codes_image + y * c.codes_row
                for x in range(c.columns):
                    quantize_row(out + x * c.out_pixel, codes + x * c.codes_pixel, c.channels, low, high, most)


@inlined
def _reduce_row(c: Any, image: int, y: int) -> None:
    """A row of the result: several pixels at a time where all of their windows are inside."""
    vectors = -(-c.channels // LANES)
    each = -(-vectors // -(-vectors // VECTORS))
    top = y * c.stride_height - c.begin_height
    ky, ky_end = inside(top, c.dilation_height, c.kernel_height, c.height)
    span = (c.kernel_width - 1) * c.dilation_width
    whole = -(-c.begin_width // c.stride_width)
    whole_end = (c.width - 1 - span + c.begin_width) // c.stride_width + 1 if c.width > span else whole
    row = c.x + image * c.x_image + (top + ky * c.dilation_height) * c.x_row
    out = c.out + image * c.out_image + y * c.out_row
    codes = c.codes + image * c.codes_image + y * c.codes_row
    summand = c.summand + image * c.summand_image + y * c.summand_row
    x = 0
    while x < c.columns:
        room = min(whole_end, c.columns) - x if x >= whole else 0
        pixels = PIXELS if room >= PIXELS else 1
        left = x * c.stride_width - c.begin_width
        kx, kx_end = inside(left, c.dilation_width, c.kernel_width, c.width)
        for first in range(0, vectors, each):
            channel = LANES * first
            added = summand + x * c.summand_pixel + c.summand_size * channel if c.summand != 0 else 0
            reduce_bytes(
                1 if c.weights != 0 else 0,
                pixels,
                min(each, vectors - first),
                ky_end - ky if kx_end > kx else 0,
                kx_end - kx,
                row + (left + kx * c.dilation_width) * c.x_pixel + channel,
                c.stride_width * c.x_pixel,
                c.dilation_height * c.x_row,
                c.dilation_width * c.x_pixel,
                c.zero,
                c.weights + (ky * c.kernel_width + kx) * c.weights_row + 4 * channel,
                c.kernel_width * c.weights_row,
                c.weights_row,
                c.factors + 4 * channel,
                c.biases + 4 * channel,
                c.channels - channel,
                c.numbers,
                c.summand_pixel,
                c.out_pixel,
                c.codes_pixel,
                added if c.summand_size == 4 else 0,
                added if c.summand_size == 1 else 0,
                out + x * c.out_pixel + 4 * channel if c.out != 0 else 0,
                codes + x * c.codes_pixel + channel if c.codes != 0 and c.function < 0 else 0,
            )
        x += pixels


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
        with v.times(high_taps) as outer:
            row = builder.add(x, builder.mul(outer.index, x_high))
            weights_row = builder.add(weights, builder.mul(outer.index, weights_high))
            with v.times(wide_taps) as inner:
                place = builder.add(row, builder.mul(inner.index, x_wide))
                at = builder.add(weights_row, builder.mul(inner.index, weights_wide))
                factor = [v.load(at, j) for j in range(width)] if has_weights else []
                for i, pixel in enumerate(totals):
                    here = builder.add(place, builder.mul(x_pixel, v.constant(i)))
                    for j, total in enumerate(pixel):
                        value, before = v.load(here, j, type=v.bytes), builder.load(total)
                        if has_weights:
                            after = v.multiply_add(builder.fsub(v.widened(value), nothing), factor[j], before)
                        else:
                            after = builder.select(builder.icmp_unsigned(">", value, before), value, before)
                        builder.store(after, total)
        if has_weights:
            finish(v, totals, factors, biases, channels, numbers, *arrays)
            continue
        masks = masks_of(v, channels, width)
        for i, pixel in enumerate(totals):
            for j, total in enumerate(pixel):
                v.store(builder.load(total), arrays[-1].row(i), j, masks[j])
