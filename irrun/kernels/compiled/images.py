"""Kernels that slide windows over images whose channels are neighbours in memory, channel by channel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.compiled.functions import RUN, add, apply_to_rows, fill
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.micro import AS_BITS, round_row
from irrun.kernels.compiled.native import floats, inlined, kernel, record
from irrun.kernels.compiled.reduction import FEW, MULTIPLY_HALVES, PIXELS, VECTORS, reduce_windows


class Windows(NamedTuple):
    """Arguments of `windows`. Strides are in bytes; 0 stands for no array.

    ``kind`` is one of `reduction`. ``x`` is [images, height, width, channels], ``out``, ``rounded``, which is the
    result in bf16, and ``summand`` [images, rows, columns, channels], ``weights`` [taps, channels] with room for whole
    vectors, ``bias`` [channels] as well. A task has some rows of the result; without a function, one of so many
    ``parts`` of their channels. Means are of the elements inside, but of ``least`` at least.
    """

    kind: int
    x: int
    out: int
    images: int
    rows: int
    columns: int
    height: int
    width: int
    channels: int
    x_image: int
    x_row: int
    x_pixel: int
    out_image: int
    out_row: int
    out_pixel: int
    kernel_height: int
    kernel_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    begin_height: int
    begin_width: int
    rows_per_task: int
    parts: int = 1
    weights: int = 0
    weights_row: int = 0
    bias: int = 0
    summand: int = 0
    summand_image: int = 0
    summand_row: int = 0
    summand_pixel: int = 0
    low: float = -np.inf
    high: float = np.inf
    function: int = -1
    alpha: float = 0
    beta: float = 0
    least: int = 0
    rounded: int = 0
    rounded_image: int = 0
    rounded_row: int = 0
    rounded_pixel: int = 0


@kernel(Windows)
def windows(arguments: Any, task: int, workspace: int) -> None:
    """Some rows of the result: depthwise convolution with its epilogue, or pooling.

    Workspace takes `RUN` f32, and a row of the result where a function has no ``out``.
    """
    c = record(arguments)
    vectors = -(-c.channels // LANES)
    part = task % c.parts
    begin, end = vectors * part // c.parts, vectors * (part + 1) // c.parts
    first = task // c.parts * c.rows_per_task
    for index in range(first, min(c.images * c.rows, first + c.rows_per_task)):
        image, y = index // c.rows, index % c.rows
        out = c.out + image * c.out_image + y * c.out_row if c.out != 0 else 0
        rounded = c.rounded + image * c.rounded_image + y * c.rounded_row if c.rounded != 0 else 0
        if c.function < 0:
            _reduce_row(c, image, y, begin, end, out, rounded)
        else:
            out = out if out != 0 else workspace + 4 * RUN
            _reduce_row(c, image, y, begin, end, out, 0)
            alpha, beta = np.float32(c.alpha), np.float32(c.beta)
            apply_to_rows(c.function, out, c.out_pixel, c.columns, c.channels, alpha, beta, workspace)
            if rounded != 0:
                for x in range(c.columns):
                    round_row(AS_BITS, out + x * c.out_pixel, rounded + x * c.rounded_pixel, c.channels)


@inlined
def inside(place: int, step: int, taps: int, size: int) -> tuple[int, int]:
    """Return the range of taps of a window at ``place`` that are inside the image."""
    first = (-place + step - 1) // step if place < 0 else 0
    return min(first, taps), max(min(first, taps), min(taps, (size - 1 - place) // step + 1))


@inlined
def _reduce_row(c: Any, image: int, y: int, begin: int, end: int, out: int, rounded: int) -> None:
    """Some channels of a row of the result: several pixels at a time where all of their windows are inside."""
    top = y * c.stride_height - c.begin_height
    ky, ky_end = inside(top, c.dilation_height, c.kernel_height, c.height)
    span = (c.kernel_width - 1) * c.dilation_width
    whole = -(-c.begin_width // c.stride_width)
    whole_end = (c.width - 1 - span + c.begin_width) // c.stride_width + 1 if c.width > span else whole
    each = -(-(end - begin) // -(-(end - begin) // VECTORS))
    row = c.x + image * c.x_image + (top + ky * c.dilation_height) * c.x_row
    size = 2 if c.kind == MULTIPLY_HALVES else 4
    x = 0
    while x < c.columns:
        room = min(whole_end, c.columns) - x if x >= whole else 0
        pixels = PIXELS if room >= PIXELS else (FEW if room >= FEW else 1)
        left = x * c.stride_width - c.begin_width
        kx, kx_end = inside(left, c.dilation_width, c.kernel_width, c.width)
        summand = c.summand + image * c.summand_image + y * c.summand_row + x * c.summand_pixel
        for first in range(begin, end, each):
            place = 4 * LANES * first
            reduce_windows(
                c.kind,
                pixels,
                min(each, end - first),
                ky_end - ky if kx_end > kx else 0,
                kx_end - kx,
                row + (left + kx * c.dilation_width) * c.x_pixel + size * LANES * first,
                c.stride_width * c.x_pixel,
                c.dilation_height * c.x_row,
                c.dilation_width * c.x_pixel,
                c.weights + (ky * c.kernel_width + kx) * c.weights_row + place,
                c.kernel_width * c.weights_row,
                c.weights_row,
                c.bias + place if c.bias != 0 else 0,
                summand + place if c.summand != 0 else 0,
                c.summand_pixel,
                out + x * c.out_pixel + place if out != 0 else 0,
                c.out_pixel,
                rounded + x * c.rounded_pixel + 2 * LANES * first if rounded != 0 else 0,
                c.rounded_pixel,
                c.channels - LANES * first,
                np.float32(max((ky_end - ky) * (kx_end - kx), c.least)),
                np.float32(c.low),
                np.float32(c.high),
            )
        x += pixels


class Response(NamedTuple):
    """Arguments of `local_response`. ``x`` and ``out`` are contiguous [pixels, channels]."""

    x: int
    out: int
    pixels: int
    channels: int
    reach: int
    pixels_per_task: int
    factor: float
    bias: float


@kernel(Response)
def local_response(arguments: Any, task: int, workspace: int) -> None:
    """x / (bias + factor * sum of the squares of neighbours) ** 0.75; workspace holds the squares of the channels."""
    c = record(arguments)
    squares = floats(workspace, c.channels + 2 * c.reach)
    fill(squares, np.float32(0))
    for pixel in range(task * c.pixels_per_task, min(c.pixels, (task + 1) * c.pixels_per_task)):
        x = floats(c.x + 4 * pixel * c.channels, c.channels)
        out = floats(c.out + 4 * pixel * c.channels, c.channels)
        _square(x, squares[c.reach : c.reach + c.channels])
        fill(out, np.float32(0))
        for shift in range(2 * c.reach + 1):
            add(out, squares[shift : shift + c.channels])
        _respond(x, out, np.float32(c.factor), np.float32(c.bias))


@inlined
def _square(x: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = x[i] * x[i]


@inlined
def _respond(x: Any, out: Any, factor: Any, bias: Any) -> None:
    for i in range(len(out)):
        root = np.sqrt(bias + factor * out[i])
        out[i] = x[i] / (root * np.sqrt(root))
