"""Copies between layouts."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.host import LANES
from irrun_kernels.native import Address, Read, Write, floats, inlined, intrinsic, kernel, record
from irrun_kernels.vectors import Vectors


class Axes(NamedTuple):
    """A number for each of five axes."""

    first: int
    second: int
    third: int
    row: int
    column: int


class Copy(NamedTuple):
    """Arguments of `copy`: arrays of f32, or of anything as wide, with five axes. Strides are in elements.

    A part is some ``rows`` of a matrix of the last two axes, a task some parts.
    """

    x: Read[Address]
    out: Write[Address]
    size: Axes
    x_step: Axes
    out_step: Axes
    rows: int
    parts_per_task: int


_TILE: Final = 8


@kernel(Copy)
def copy(arguments: Any, task: int, workspace: int) -> None:
    """Some parts of matrices."""
    c = record(arguments)
    size, x_step, out_step = c.size, c.x_step, c.out_step
    x_row, x_column, out_row, out_column = x_step.row, x_step.column, out_step.row, out_step.column
    each = -(-size.row // c.rows)
    parts = size.first * size.second * size.third * each
    for part in range(task * c.parts_per_task, min(parts, (task + 1) * c.parts_per_task)):
        index, row = part // each, part % each * c.rows
        i, j, k = index // size.third // size.second, index // size.third % size.second, index % size.third
        x = c.x + 4 * (i * x_step.first + j * x_step.second + k * x_step.third + row * x_row)
        out = c.out + 4 * (i * out_step.first + j * out_step.second + k * out_step.third + row * out_row)
        rows, columns = min(c.rows, size.row - row), size.column
        if x_column == 1 and out_column == 1:
            copy_rows(x, 4 * x_row, out, 4 * out_row, rows, columns)
        elif x_row == 1 and out_column == 1 and out_row == columns and 2 <= columns <= 4:
            _interleave(x, 4 * x_column, columns, out, rows)
        elif columns < _TILE:
            for column in range(columns):
                _copy_column(x + 4 * column * x_column, x_row, out + 4 * column * out_column, out_row, rows)
        elif rows < _TILE:
            for number in range(rows):
                _copy_column(x + 4 * number * x_row, x_column, out + 4 * number * out_row, out_column, columns)
        else:
            transpose(x, x_row, x_column, out, out_row, out_column, rows, columns)


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
    with v.times(rows) as row:
        source, target = builder.add(x, builder.mul(row, x_step)), builder.add(out, builder.mul(row, out_step))

        def move(first: Any, mask: Any, source: Any = source, target: Any = target) -> None:
            offset = builder.mul(first, v.constant(4))
            v.store(v.load(builder.add(source, offset), 0, mask), builder.add(target, offset), 0, mask)

        v.for_each_vector(count, move)
