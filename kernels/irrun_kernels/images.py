"""Kernels that slide windows over images whose channels are neighbours in memory, channel by channel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun_kernels.bytes import Requantization
from irrun_kernels.functions import RUN, End, add, apply_to_rows, fill
from irrun_kernels.host import LANES
from irrun_kernels.native import NOWHERE, Address, Read, Write, floats, inlined, kernel, record
from irrun_kernels.pixels import Geometry, Images
from irrun_kernels.product import make_bytes, make_halves
from irrun_kernels.reduction import BYTE_PIXELS, MULTIPLY_HALVES, PIXELS, VECTORS, reduce_bytes, reduce_windows


class Windows(NamedTuple):
    """Arguments of `windows` and `byte_windows`; 0 stands for no array.

    ``kind`` is one of `reduction`. All images have the same ``channels``: ``x``, the result in f32, in bf16 or as bytes
    (``narrow``), and ``summand``. ``weights`` are [taps, channels] with room for whole vectors, ``bias`` [channels] as
    well. A task has some rows of the result; without a function, one of so many ``parts`` of their channels. Means are
    of the elements inside, but of ``least`` at least.

    Bytes are multiplied less ``zero``, with weights that hold integers; without weights, results are the largest.
    """

    x: Read[Images]
    geometry: Geometry
    channels: int
    rows_per_task: int
    kind: int = 0
    parts: int = 1
    out: Write[Images] = Images()
    narrow: Write[Images] = Images()
    summand: Read[Images] = Images()
    weights: Read[Address] = NOWHERE
    weights_row: int = 0
    bias: Read[Address] = NOWHERE
    end: End = End()
    least: int = 0
    zero: int = 0
    integers: Requantization = Requantization()


class Window(NamedTuple):
    """Some pixels of a result, and the taps of their windows that are inside the image.

    ``x`` and ``weights`` are addresses at the first of these taps, the others those of the first pixel, or 0.
    """

    pixels: int
    high_taps: int
    wide_taps: int
    x: int
    weights: int
    out: int
    narrow: int
    summand: int


@kernel(Windows)
def windows(arguments: Any, task: int, workspace: int) -> None:
    """Some rows of the result: depthwise convolution with its epilogue, or pooling.

    Workspace takes `RUN` f32, and a row of the result where a function has no ``out``.
    """
    _slide(record(arguments), task, workspace, PIXELS, _reduce_floats, make_halves)


@kernel(Windows)
def byte_windows(arguments: Any, task: int, workspace: int) -> None:
    """The same of bytes."""
    _slide(record(arguments), task, workspace, BYTE_PIXELS, _reduce_bytes, make_bytes)


@inlined
def _slide(c: Any, task: int, workspace: int, at_once: Any, reduce: Any, make_narrow: Any) -> None:
    """Compute a task, one of some numbers of pixels ``at_once``."""
    g, end = c.geometry, c.end
    vectors = -(-c.channels // LANES)
    part = task % c.parts
    channels = (vectors * part // c.parts, vectors * (part + 1) // c.parts)
    first = task // c.parts * c.rows_per_task
    for index in range(first, min(g.images * g.rows, first + c.rows_per_task)):
        image, y = index // g.rows, index % g.rows
        out, narrow, summand = _row(c.out, image, y), _row(c.narrow, image, y), _row(c.summand, image, y)
        if end.function < 0:
            _reduce_row(c, image, y, channels, (out, narrow, summand), at_once, reduce)
        else:
            out = out if out != 0 else workspace + 4 * RUN
            _reduce_row(c, image, y, channels, (out, 0, summand), at_once, reduce)
            alpha, beta = np.float32(end.alpha), np.float32(end.beta)
            apply_to_rows(end.function, out, c.out.pixel, g.columns, c.channels, alpha, beta, workspace)
            if narrow != 0:
                for x in range(g.columns):
                    make_narrow(c, out + x * c.out.pixel, narrow + x * c.narrow.pixel, c.channels)


@inlined
def _row(x: Any, image: int, y: int) -> int:
    """The address of a row of `Images`, or 0."""
    return _moved(x.start, image * x.image + y * x.row)


@inlined
def inside(place: int, step: int, taps: int, size: int) -> tuple[int, int]:
    """Return the range of taps of a window at ``place`` that are inside the image."""
    first = (-place + step - 1) // step if place < 0 else 0
    return min(first, taps), max(min(first, taps), min(taps, (size - 1 - place) // step + 1))


@inlined
def _reduce_row(c: Any, image: int, y: int, channels: Any, rows: Any, at_once: Any, reduce: Any) -> None:
    """Some channels of a row of the result: several pixels at a time where all of their windows are inside.

    ``channels`` are the range of vectors, ``rows`` the addresses of the row in f32 and narrow, and of the summand.
    """
    (begin, stop), (out, narrow, summand), (many, few) = channels, rows, at_once
    g = c.geometry
    top = y * g.stride_height - g.begin_height
    ky, ky_end = inside(top, g.dilation_height, g.kernel_height, g.height)
    span = (g.kernel_width - 1) * g.dilation_width
    whole = -(-g.begin_width // g.stride_width)
    whole_end = (g.width - 1 - span + g.begin_width) // g.stride_width + 1 if g.width > span else whole
    each = -(-(stop - begin) // -(-(stop - begin) // VECTORS))
    row = c.x.start + image * c.x.image + (top + ky * g.dilation_height) * c.x.row
    x = 0
    while x < g.columns:
        room = min(whole_end, g.columns) - x if x >= whole else 0
        pixels = many if room >= many else (few if room >= few else 1)
        left = x * g.stride_width - g.begin_width
        kx, kx_end = inside(left, g.dilation_width, g.kernel_width, g.width)
        window = Window(
            pixels,
            ky_end - ky if kx_end > kx else 0,
            kx_end - kx,
            row + (left + kx * g.dilation_width) * c.x.pixel,
            c.weights + (ky * g.kernel_width + kx) * c.weights_row,
            _moved(out, x * c.out.pixel),
            _moved(narrow, x * c.narrow.pixel),
            _moved(summand, x * c.summand.pixel),
        )
        divisor = np.float32(max((ky_end - ky) * (kx_end - kx), c.least))
        for first in range(begin, stop, each):
            reduce(c, window, min(each, stop - first), LANES * first, divisor)
        x += pixels


@inlined
def _reduce_floats(c: Any, w: Any, vectors: int, channel: int, divisor: Any) -> None:
    """Reduce some channels of windows over f32 or bf16."""
    place = 4 * channel
    reduce_windows(
        (c.kind, w.pixels, vectors),
        (w.high_taps, w.wide_taps),
        _taps_of(c, w.x + (2 if c.kind == MULTIPLY_HALVES else 4) * channel),
        (w.weights + place, c.geometry.kernel_width * c.weights_row, c.weights_row),
        _moved(c.bias, place),
        (_moved(w.summand, place), c.summand.pixel),
        (_moved(w.out, place), c.out.pixel),
        (_moved(w.narrow, 2 * channel), c.narrow.pixel),
        c.channels - channel,
        divisor,
        np.float32(c.end.low),
        np.float32(c.end.high),
    )


@inlined
def _reduce_bytes(c: Any, w: Any, vectors: int, channel: int, divisor: Any) -> None:
    """Reduce some channels of windows over bytes."""
    sides, place = c.integers, 4 * channel
    summand = _moved(w.summand, sides.summand_size * channel)
    reduce_bytes(
        (1 if c.weights != 0 else 0, w.pixels, vectors),
        (w.high_taps, w.wide_taps),
        _taps_of(c, w.x + channel),
        c.zero,
        (w.weights + place, c.geometry.kernel_width * c.weights_row, c.weights_row),
        (sides.factors + place, sides.biases + place),
        c.channels - channel,
        sides.numbers,
        (summand if sides.summand_size == 4 else 0, summand if sides.summand_size == 1 else 0, c.summand.pixel),
        (_moved(w.out, place), c.out.pixel),
        (_moved(w.narrow, channel), c.narrow.pixel),
    )


@inlined
def _taps_of(c: Any, x: int) -> tuple[int, int, int, int]:
    """An address, and the bytes from pixel to pixel, and from tap to tap downwards and across."""
    g = c.geometry
    return x, g.stride_width * c.x.pixel, g.dilation_height * c.x.row, g.dilation_width * c.x.pixel


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
