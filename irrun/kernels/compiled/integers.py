"""Products of bytes and convolutions of them, and what makes bytes of f32 and f32 of bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.compiled.amx_product import configure_tiles, gather, release_tiles, tile_of
from irrun.kernels.compiled.bytes import dequantize_row, multiply_bytes, quantize_row
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.native import inlined, kernel, longs, octets, record
from irrun.kernels.compiled.pixels import find_left, find_points, move
from irrun.kernels.compiled.product import apply_function


class IntegerProduct(NamedTuple):
    """Arguments of `integer_product`. Strides are in bytes, and for images, rows and pixels; 0 stands for no array.

    ``x`` is [images, height, width, bytes], ``out`` f32 and ``codes`` bytes [images, rows, columns, filters], where
    neighbours in ``codes`` are as those in ``out``, of a quarter of the strides; ``summand`` likewise, of f32 or of
    ``summand_bytes``. ``depth`` are the words of a pixel, ``panel_depth`` those of a column of a panel. ``zeros`` is a
    pixel of what surrounds the images. With a ``function``, the levels of its results lie between ``levels_low`` and
    ``levels_high``, and ``out`` is given. Unless ``left_row`` is 0, tiles of AMX multiply: it is the distance of the
    rows of the left factor in the workspace.
    ``panels``, ``starts``, ``factors`` and ``biases`` are padded to whole vectors. A task computes ``points`` of the
    result, for one of the ``groups`` of panels. Several products of equal sizes may follow each other: each has
    ``tasks`` tasks, and the fields that begin with ``next`` are the distances of its data from those of the previous
    one in bytes; ``next_filters`` is the number of filters of each, ``next_padded`` that number with padding.
    """

    x: int
    panels: int
    starts: int
    factors: int
    biases: int
    columns: int
    width: int
    depth: int
    panel_depth: int
    filters: int
    x_pixel: int
    tile_rows: int
    vectors: int
    points: int
    groups: int
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
    zeros: int = 0
    images: int = 1
    rows: int = 1
    height: int = 1
    x_image: int = 0
    x_row: int = 0
    kernel_height: int = 1
    kernel_width: int = 1
    stride_height: int = 1
    stride_width: int = 1
    dilation_height: int = 1
    dilation_width: int = 1
    begin_height: int = 0
    begin_width: int = 0
    tasks: int = 1 << 60
    next_x: int = 0
    next_panels: int = 0
    next_padded: int = 0
    left_row: int = 0
    numbers: int = 0
    function: int = -1
    alpha: float = 0
    beta: float = 0
    levels_low: float = 0
    levels_high: float = 0
    levels_most: float = 0


@kernel(IntegerProduct)
def integer_product(arguments: Any, task: int, workspace: int) -> None:
    """A block of points times a group of panels, with factors, biases, summand, bounds and rounding."""
    c = record(arguments)
    full = c.vectors * LANES
    panels = -(-c.filters // full)
    number, task = task // c.tasks, task % c.tasks
    first = task // c.groups * c.points
    last = min(first + c.points, c.images * c.rows * c.columns)
    group = task % c.groups
    taps = c.kernel_height * c.kernel_width
    tiles = -(-(last - first) // c.tile_rows)
    points = tiles * c.tile_rows
    left = workspace
    out = left + 8 * points * taps
    codes, summand = out + 8 * points, out + 16 * points
    gathered = summand + 8 * points
    free = gathered + points * c.left_row
    place, stop = panels * group // c.groups, panels * (group + 1) // c.groups
    column = number * c.filters + place * full
    find_left(c, c.x + number * c.next_x, first, last, points, left)
    find_points(c, c.out + 4 * column, c.out_image, c.out_row, c.out_pixel, first, last, points, out)
    find_points(c, c.codes + column, c.codes_image, c.codes_row, c.codes_pixel, first, last, points, codes)
    start = c.summand + c.summand_size * column
    find_points(c, start, c.summand_image, c.summand_row, c.summand_pixel, first, last, points, summand)
    if c.left_row != 0:
        gather(left, points, taps, c.depth, gathered, c.left_row)
        configure_tiles()
    adds_floats = c.summand != 0 and c.summand_size == 4
    adds_bytes = c.summand != 0 and c.summand_size == 1
    while place < stop:
        width = min(c.filters - place * full, full)
        vectors = -(-width // LANES)
        row = 4 * (number * c.next_padded + place * full)
        panel = c.panels + number * c.next_panels + 4 * place * full * c.panel_depth
        for tile in range(tiles):
            here = 8 * tile * c.tile_rows
            # The addresses of the rows of the left factor, or of the first one of a tile.
            rows, left_tap = left + here, 8 * points
            if c.left_row != 0:
                rows, left_tap = tile_of(rows, taps, c.depth, gathered + tile * c.tile_rows * c.left_row, c.left_row)
            multiply_bytes(
                c.tile_rows,
                vectors,
                taps if c.left_row == 0 else min(c.tile_rows, last - first - here // 8),
                c.depth if c.left_row == 0 else c.panel_depth,
                rows,
                left_tap,
                panel,
                panel,
                0,
                c.starts + row,
                c.factors + row,
                c.biases + row,
                width,
                c.numbers,
                summand + here if adds_floats else 0,
                summand + here if adds_bytes else 0,
                out + here if c.out != 0 else 0,
                codes + here if c.codes != 0 and c.function < 0 else 0,
            )
        if c.function >= 0:
            apply_function(c, longs(out, last - first), width, free)
            if c.codes != 0:
                _quantize_rows(c, longs(out, last - first), longs(codes, last - first), width)
        move(out, points, 4 * full)
        move(codes, points, full)
        move(summand, points, c.summand_size * full)
        place += 1
    if c.left_row != 0:
        release_tiles()


@inlined
def _quantize_rows(c: Any, rows: Any, codes: Any, width: int) -> None:
    low, high, most = np.float32(c.levels_low), np.float32(c.levels_high), np.float32(c.levels_most)
    for index in range(len(rows)):
        quantize_row(rows[index], codes[index], width, low, high, most)


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

    x: int
    out: int
    images: int
    rows: int
    columns: int
    height: int
    width: int
    channels: int
    top: int
    left: int
    x_image: int
    x_row: int
    x_pixel: int
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
            x = c.x + image * c.x_image + row * c.x_row
            start = c.out + index * size + c.left * c.channels
            if c.x_channel == 1 and c.x_pixel == c.channels:
                _copy(octets(x, c.width * c.channels), octets(start, c.width * c.channels))
            else:
                for channel in range(c.channels):
                    _spread(x + channel * c.x_channel, c.x_pixel, start + channel, c.channels, c.width)


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
