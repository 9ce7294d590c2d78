"""Kernels that slide windows over images whose channels are neighbours in memory, channel by channel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun_kernels.epilogue import Epilogue, activate, store_rounded
from irrun_kernels.functions import RUN, add, fill
from irrun_kernels.host import LANES
from irrun_kernels.native import NOWHERE, Address, Read, Write, floats, inlined, kernel, record
from irrun_kernels.pixels import Geometry, Images, image_of, row_of
from irrun_kernels.reduction import (
    BYTE_PIXELS,
    LARGEST,
    MULTIPLY_BF16,
    PARTIAL,
    PIXELS,
    VECTORS,
    WHOLE,
    reduce_bytes,
    reduce_windows,
)


class Windows(NamedTuple):
    """Arguments of `windows` and `byte_windows`; 0 stands for no array.

    ``kind`` is one of `reduction`. All images have the same ``channels``. ``weights`` are [taps, channels] with room
    for whole vectors, as has the bias. A task has some rows of the result; without a function, one of so many ``parts``
    of their channels. Means are of the elements inside, but of ``least`` at least.

    Bytes are multiplied less ``zero``, with weights that are i16; without weights, results are the largest.
    """

    x: Read[Images]
    geometry: Geometry
    channels: int
    rows_per_task: int
    kind: int = 0
    parts: int = 1
    weights: Read[Address] = NOWHERE
    weights_row: int = 0
    epilogue: Epilogue = Epilogue()
    least: int = 0
    zero: int = 0


class Window(NamedTuple):
    """Some pixels of a result, and the taps of their windows that are inside the image.

    ``x`` and ``weights`` are addresses at the first of these taps, the others those of the first pixel, or 0.
    """

    pixels: int
    deep_taps: int
    high_taps: int
    wide_taps: int
    x: int
    weights: int
    out: int
    rounded: int
    summand: int


@kernel(Windows)
def windows(arguments: Any, task: int, workspace: int) -> None:
    """Some rows of the result: depthwise convolution with its epilogue, or pooling.

    Workspace takes `RUN` f32, and a row of the result where a function has no ``out``.
    """
    _slide(record(arguments), task, workspace, PIXELS, _reduce_floats)


@kernel(Windows)
def byte_windows(arguments: Any, task: int, workspace: int) -> None:
    """The same of bytes."""
    _slide(record(arguments), task, workspace, BYTE_PIXELS, _reduce_bytes)


@inlined
def _slide(c: Any, task: int, workspace: int, at_once: Any, reduce: Any) -> None:
    """Compute a task, one of some numbers of pixels ``at_once``."""
    g, e = c.geometry, c.epilogue
    vectors = -(-c.channels // LANES)
    part = task % c.parts
    channels = (vectors * part // c.parts, vectors * (part + 1) // c.parts)
    first = task // c.parts * c.rows_per_task
    for line in range(first, min(g.images * g.planes * g.rows, first + c.rows_per_task)):
        out, rounded, summand = _row(g, e.out, line), _row(g, e.rounded, line), _row(g, e.summand, line)
        if e.function < 0:
            _reduce_row(c, line, channels, (out, rounded, summand), at_once, reduce)
        else:
            out = out if out != 0 else workspace + 4 * RUN
            _reduce_row(c, line, channels, (out, 0, summand), at_once, reduce)
            activate(e, out, e.out.pixel, g.columns, c.channels, workspace)
            if rounded != 0:
                for x in range(g.columns):
                    store_rounded(e, out + x * e.out.pixel, rounded + x * e.rounded.pixel, 0, c.channels)


@inlined
def _row(g: Any, x: Any, line: int) -> Any:
    """The address of a row of `Images`, or 0."""
    return row_of(g, x, line) if x.start != 0 else 0


@inlined
def inside(place: int, step: int, taps: int, size: int) -> tuple[int, int]:
    """Return the range of taps of a window at ``place`` that are inside the image."""
    first = (-place + step - 1) // step if place < 0 else 0
    return min(first, taps), max(min(first, taps), min(taps, (size - 1 - place) // step + 1))


@inlined
def _reduce_row(c: Any, line: int, channels: Any, rows: Any, at_once: Any, reduce: Any) -> None:
    """Some channels of a row of the result: several pixels at a time where all of their windows are inside.

    ``channels`` are the range of vectors, ``rows`` the addresses of the row in f32 and as rounded, and of the summand.
    """
    (begin, stop), (out, rounded, summand), (many, few) = channels, rows, at_once
    g, e = c.geometry, c.epilogue
    image, z, y = image_of(g, line)
    back = z * g.stride_depth - g.begin_depth
    kz, kz_end = inside(back, g.dilation_depth, g.kernel_depth, g.depth)
    top = y * g.stride_height - g.begin_height
    ky, ky_end = inside(top, g.dilation_height, g.kernel_height, g.height)
    span = (g.kernel_width - 1) * g.dilation_width
    whole = -(-g.begin_width // g.stride_width)
    whole_end = (g.width - 1 - span + g.begin_width) // g.stride_width + 1 if g.width > span else whole
    each = -(-(stop - begin) // -(-(stop - begin) // VECTORS))
    plane = c.x.start + image * c.x.image + (back + kz * g.dilation_depth) * c.x.plane
    row = plane + (top + ky * g.dilation_height) * c.x.row
    x = 0
    while x < g.columns:
        room = min(whole_end, g.columns) - x if x >= whole else 0
        pixels = many if room >= many else (few if room >= few else 1)
        left = x * g.stride_width - g.begin_width
        kx, kx_end = inside(left, g.dilation_width, g.kernel_width, g.width)
        window = Window(
            pixels,
            kz_end - kz if kx_end > kx else 0,
            ky_end - ky,
            kx_end - kx,
            row + (left + kx * g.dilation_width) * c.x.pixel,
            c.weights + ((kz * g.kernel_height + ky) * g.kernel_width + kx) * c.weights_row,
            _moved(out, x * e.out.pixel),
            _moved(rounded, x * e.rounded.pixel),
            _moved(summand, x * e.summand.pixel),
        )
        divisor = np.float32(max((kz_end - kz) * (ky_end - ky) * (kx_end - kx), c.least))
        for first in range(begin, stop, each):
            reduce(c, window, min(each, stop - first), LANES * first, divisor)
        x += pixels


@inlined
def _reduce_floats(c: Any, w: Any, vectors: int, channel: int, divisor: Any) -> None:
    """Reduce some channels of windows over f32 or bf16."""
    e, place = c.epilogue, 4 * channel
    reduce_windows(
        (c.kind, w.pixels, vectors),
        (w.deep_taps, w.high_taps, w.wide_taps),
        _taps_at(c, w.x + (2 if c.kind == MULTIPLY_BF16 else 4) * channel),
        _weights_at(c, w.weights + place),
        _moved(e.bias, place),
        (_moved(w.summand, place), e.summand.pixel),
        (_moved(w.out, place), e.out.pixel),
        (_moved(w.rounded, 2 * channel), e.rounded.pixel),
        c.channels - channel,
        divisor,
        np.float32(e.low),
        np.float32(e.high),
    )


@inlined
def _reduce_bytes(c: Any, w: Any, vectors: int, channel: int, divisor: Any) -> None:
    """Reduce some channels of windows over bytes."""
    e, sides, place = c.epilogue, c.epilogue.integers, 4 * channel
    summand = _moved(w.summand, sides.summand_size * channel)
    taps = c.geometry.kernel_depth, c.geometry.kernel_height, c.geometry.kernel_width
    is_whole = c.zero == 0 or (w.deep_taps, w.high_taps, w.wide_taps) == taps
    kind = LARGEST if c.weights == 0 else WHOLE if is_whole else PARTIAL
    reduce_bytes(
        (kind, w.pixels, vectors),
        (w.deep_taps, w.high_taps, w.wide_taps),
        _taps_at(c, w.x + channel),
        c.zero,
        _weights_at(c, w.weights + 2 * channel),
        (sides.factors + place, sides.biases + place, sides.starts + place),
        c.channels - channel,
        sides.numbers,
        (summand if sides.summand_size == 4 else 0, summand if sides.summand_size == 1 else 0, e.summand.pixel),
        (_moved(w.out, place), e.out.pixel),
        (_moved(w.rounded, channel), e.rounded.pixel),
    )


@inlined
def _taps_at(c: Any, x: int) -> tuple[int, int, int, int, int]:
    """An address, and the bytes from pixel to pixel, and from tap to tap along each axis."""
    g = c.geometry
    down, across = g.dilation_height * c.x.row, g.dilation_width * c.x.pixel
    return x, g.stride_width * c.x.pixel, g.dilation_depth * c.x.plane, down, across


@inlined
def _weights_at(c: Any, weights: int) -> tuple[int, int, int, int]:
    """The address of weights, and the bytes from tap to tap along each axis."""
    row = c.geometry.kernel_width * c.weights_row
    return weights, c.geometry.kernel_height * row, row, c.weights_row


@inlined
def _moved(address: int, bytes: int) -> int:
    """An address some bytes further; 0 stands for no array."""
    return address + bytes if address != 0 else 0


class Response(NamedTuple):
    """Arguments of `local_response`. ``x`` and ``out`` are contiguous [pixels, channels]."""

    x: Read[Address]
    out: Write[Address]
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
