"""Copies between layouts."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.compiled.host import BYTES, LANES
from irrun.kernels.compiled.native import floats, inlined, intrinsic, kernel, octets, record
from irrun.kernels.compiled.pixels import Images
from irrun.kernels.compiled.vectors import Vectors


class Copy(NamedTuple):
    """Arguments of `copy`: arrays of f32, or of anything as wide, with five axes. Strides are in elements.

    A part is some ``rows`` of a matrix of the last two axes, a task some parts.
    """

    x: int
    out: int
    size_0: int
    size_1: int
    size_2: int
    size_3: int
    size_4: int
    x_0: int
    x_1: int
    x_2: int
    x_3: int
    x_4: int
    out_0: int
    out_1: int
    out_2: int
    out_3: int
    out_4: int
    rows: int
    parts_per_task: int


_TILE: Final = 8


@kernel(Copy)
def copy(arguments: Any, task: int, workspace: int) -> None:
    """Some parts of matrices."""
    c = record(arguments)
    each = -(-c.size_3 // c.rows)
    parts = c.size_0 * c.size_1 * c.size_2 * each
    for part in range(task * c.parts_per_task, min(parts, (task + 1) * c.parts_per_task)):
        index = part // each
        second = index // c.size_2
        first, i, j, row = second // c.size_1, second % c.size_1, index % c.size_2, part % each * c.rows
        x = c.x + 4 * (first * c.x_0 + i * c.x_1 + j * c.x_2 + row * c.x_3)
        out = c.out + 4 * (first * c.out_0 + i * c.out_1 + j * c.out_2 + row * c.out_3)
        rows = min(c.rows, c.size_3 - row)
        if c.x_4 == 1 and c.out_4 == 1:
            copy_rows(x, 4 * c.x_3, out, 4 * c.out_3, rows, c.size_4)
        elif c.x_3 == 1 and c.out_4 == 1 and c.out_3 == c.size_4 and 2 <= c.size_4 <= 4:
            _interleave(x, 4 * c.x_4, c.size_4, out, rows)
        elif c.size_4 < _TILE:
            for column in range(c.size_4):
                _copy_column(x + 4 * column * c.x_4, c.x_3, out + 4 * column * c.out_4, c.out_3, rows)
        elif rows < _TILE:
            for number in range(rows):
                _copy_column(x + 4 * number * c.x_3, c.x_4, out + 4 * number * c.out_3, c.out_4, c.size_4)
        else:
            transpose(x, c.x_3, c.x_4, out, c.out_3, c.out_4, rows, c.size_4)


@inlined
def transpose(
    x: int, x_row: int, x_column: int, out: int, out_row: int, out_column: int, rows: int, columns: int
) -> None:
    """Copy a matrix tile by tile, so that neither side misses the cache with each element. Strides are in elements."""
    for top in range(0, rows, LANES):
        high = min(LANES, rows - top)
        for left in range(0, columns, LANES):
            wide = min(LANES, columns - left)
            source, target = x + 4 * (top * x_row + left * x_column), out + 4 * (top * out_row + left * out_column)
            if x_row == 1 and out_column == 1:
                _transpose_tile(source, 4 * x_column, wide, target, 4 * out_row, high)
            elif x_column == 1 and out_row == 1:
                _transpose_tile(source, 4 * x_row, high, target, 4 * out_column, wide)
            else:
                for column in range(wide):
                    begin, end = source + 4 * column * x_column, target + 4 * column * out_column
                    _copy_column(begin, x_row, end, out_row, high)


@intrinsic("void", *["int64"] * 6)
def _transpose_tile(v: Vectors, x: Any, x_step: Any, rows: Any, out: Any, out_step: Any, columns: Any) -> None:
    """Transpose rows to columns: at most as many rows, and elements of a row, as a vector has lanes."""
    builder = v.builder
    last = builder.sub(rows, v.constant(1))
    mask = v.mask(columns)
    vectors = []
    for number in range(LANES):
        is_behind = builder.icmp_signed("<", last, v.constant(number))
        row = builder.select(is_behind, last, v.constant(number))
        vectors.append(v.load(builder.add(x, builder.mul(row, x_step)), 0, mask))
    step = 1
    while step < LANES:
        vectors = [v.exchanged(vectors, number, step) for number in range(LANES)]
        step *= 2
    written, nothing = v.mask(rows), v.mask(v.constant(0))
    for number, vector in enumerate(vectors):
        inside = builder.icmp_signed("<", v.constant(number), columns)
        place = builder.add(out, builder.mul(out_step, v.constant(number)))
        v.store(vector, place, 0, builder.select(inside, written, nothing))


@inlined
def _copy_column(x: int, x_step: int, out: int, out_step: int, count: int) -> None:
    source, target = floats(x, 1 << 40), floats(out, 1 << 40)
    for i in range(count):
        target[i * out_step] = source[i * x_step]


@inlined
def _interleave(x: int, step: int, count: int, out: int, rows: int) -> None:
    """Interleave 2, 3 or 4 columns into rows, which LLVM shuffles in registers."""
    target = floats(out, rows * count)
    a, b, c, d = floats(x, rows), floats(x + step, rows), floats(x + 2 * step, rows), floats(x + 3 * step, rows)
    if count == 2:
        for i in range(rows):
            target[2 * i], target[2 * i + 1] = a[i], b[i]
    elif count == 3:
        for i in range(rows):
            target[3 * i], target[3 * i + 1], target[3 * i + 2] = a[i], b[i], c[i]
    else:
        for i in range(rows):
            target[4 * i], target[4 * i + 1], target[4 * i + 2], target[4 * i + 3] = a[i], b[i], c[i], d[i]


@intrinsic("void", *["int64"] * 6)
def copy_rows(v: Vectors, x: Any, x_step: Any, out: Any, out_step: Any, rows: Any, count: Any) -> None:
    """Copy rows of ``count`` f32, which are ``x_step`` and ``out_step`` bytes apart."""
    builder = v.builder
    whole = builder.udiv(count, v.constant(LANES))
    begin = builder.mul(whole, v.constant(BYTES))
    mask = v.mask(builder.sub(count, builder.mul(whole, v.constant(LANES))))
    with v.times(rows) as loop:
        source = builder.add(x, builder.mul(loop.index, x_step))
        target = builder.add(out, builder.mul(loop.index, out_step))
        with v.times(whole) as inner:
            offset = builder.mul(inner.index, v.constant(BYTES))
            v.store(v.load(builder.add(source, offset)), builder.add(target, offset))
        v.store(v.load(builder.add(source, begin), 0, mask), builder.add(target, begin), 0, mask)


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
        fill_bytes(out, np.uint8(c.filler))
        if 0 <= row < c.height:
            x = c.x.start + image * c.x.image + row * c.x.row
            start = c.out + index * size + c.left * c.channels
            if c.x_channel == 1 and c.x.pixel == c.channels:
                _copy_bytes(octets(x, c.width * c.channels), octets(start, c.width * c.channels))
            else:
                for channel in range(c.channels):
                    _spread(x + channel * c.x_channel, c.x.pixel, start + channel, c.channels, c.width)


@inlined
def fill_bytes(out: Any, value: Any) -> None:
    """Write one byte everywhere."""
    for i in range(len(out)):
        out[i] = value


@inlined
def _copy_bytes(x: Any, out: Any) -> None:
    for i in range(len(x)):
        out[i] = x[i]


@inlined
def _spread(x: int, x_step: int, out: int, out_step: int, count: int) -> None:
    source, target = octets(x, 1 << 40), octets(out, 1 << 40)
    for i in range(count):
        target[i * out_step] = source[i * x_step]
