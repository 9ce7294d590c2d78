"""Products of bytes and convolutions of them, and what makes bytes of f32 and f32 of bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.compiled.bytes import dequantize_row, quantize_row
from irrun.kernels.compiled.native import inlined, kernel, octets, record
from irrun.kernels.compiled.pixels import Images


class Quantize(NamedTuple):
    """Arguments of `quantize`: f32 in rows of ``columns``, of which each ``size`` are ``x_row`` bytes apart.

    Others are ``x_block`` bytes apart. Bytes have no gaps. The last row may be shorter; a task has some rows.
    """

    x: int
    out: int
    elements: int
    columns: int
    size: int
    x_block: int
    x_row: int
    rows_per_task: int
    low: float
    high: float
    most: float


@kernel(Quantize)
def quantize(arguments: Any, task: int, workspace: int) -> None:
    """The nearest level of each element."""
    c = record(arguments)
    low, high, most = np.float32(c.low), np.float32(c.high), np.float32(c.most)
    rows = -(-c.elements // c.columns)
    for row in range(task * c.rows_per_task, min(rows, (task + 1) * c.rows_per_task)):
        x = c.x + row // c.size * c.x_block + row % c.size * c.x_row
        first = row * c.columns
        quantize_row(x, c.out + first, min(c.columns, c.elements - first), low, high, most)


class Dequantize(NamedTuple):
    """Arguments of `dequantize`: bytes, and f32. A task has ``each`` of them."""

    codes: int
    out: int
    elements: int
    each: int
    low: float
    span: float
    most: float


@kernel(Dequantize)
def dequantize(arguments: Any, task: int, workspace: int) -> None:
    """The number that each level stands for."""
    c = record(arguments)
    first = task * c.each
    low, span, most = np.float32(c.low), np.float32(c.span), np.float32(c.most)
    dequantize_row(c.codes + first, c.out + 4 * first, min(c.each, c.elements - first), low, span, most)


class Surround(NamedTuple):
    """Arguments of `surround`: bytes [images, height, width, channels], in images of so many ``rows`` and ``columns``.

    Strides are in bytes; those of the result follow from its sizes. A task has some rows.
    """

    x: Images
    out: int
    images: int
    rows: int
    columns: int
    height: int
    width: int
    channels: int
    top: int
    left: int
    x_channel: int
    rows_per_task: int
    filler: int


@kernel(Surround)
def surround(arguments: Any, task: int, workspace: int) -> None:
    """Copy images into larger ones, whose rest is filled."""
    c = record(arguments)
    size = c.columns * c.channels
    for index in range(task * c.rows_per_task, min(c.images * c.rows, (task + 1) * c.rows_per_task)):
        image, row = index // c.rows, index % c.rows - c.top
        out = octets(c.out + index * size, size)
        _fill(out, np.uint8(c.filler))
        if 0 <= row < c.height:
            x = c.x.start + image * c.x.image + row * c.x.row
            start = c.out + index * size + c.left * c.channels
            if c.x_channel == 1 and c.x.pixel == c.channels:
                _copy(octets(x, c.width * c.channels), octets(start, c.width * c.channels))
            else:
                for channel in range(c.channels):
                    _spread(x + channel * c.x_channel, c.x.pixel, start + channel, c.channels, c.width)


@inlined
def _fill(out: Any, value: Any) -> None:
    for i in range(len(out)):
        out[i] = value


@inlined
def _copy(x: Any, out: Any) -> None:
    for i in range(len(x)):
        out[i] = x[i]


@inlined
def _spread(x: int, x_step: int, out: int, out_step: int, count: int) -> None:
    source, target = octets(x, 1 << 40), octets(out, 1 << 40)
    for i in range(count):
        target[i * out_step] = source[i * x_step]
