"""Copies of rows and of matrices."""

from __future__ import annotations

from typing import Any

from irrun_kernels.elements import Elements, Step, of_width, unsigned
from irrun_kernels.host import LANES
from irrun_kernels.native import inlined, intrinsic
from irrun_kernels.vectors import Mask, Vectors


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
                    copy_line(4, begin, 4 * x_row, end, 4 * out_row, high)


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
        vectors.append(v.load(v.beyond(x, row, x_step), 0, mask))
    step = 1
    while step < LANES:
        vectors = [v.exchanged(vectors, number, step) for number in range(LANES)]
        step *= 2
    written, nothing = v.mask(rows), v.mask(v.constant(0))
    for number, vector in enumerate(vectors):
        inside = builder.icmp_signed("<", v.constant(number), columns)
        place = v.beyond(out, out_step, number)
        here = Mask(builder.select(inside, written.lanes, nothing.lanes), builder.and_(inside, written.is_whole))
        v.store(vector, place, 0, here)


@of_width
def copy_line(x: Elements, x_step: Step, out: Elements, out_step: Step, count: int) -> None:
    """Copy some elements."""
    if x_step == 0 and out_step == 1:
        value = x[0]
        for i in range(count):
            out[i] = value
    elif x_step == 1 and out_step == 1:
        for i in range(count):
            out[i] = x[i]
    else:
        for i in range(count):
            out[unsigned(i * out_step)] = x[unsigned(i * x_step)]


@intrinsic("void", *["int64"] * 6)
def copy_rows(v: Vectors, x: Any, x_step: Any, out: Any, out_step: Any, rows: Any, count: Any) -> None:
    """Copy rows of ``count`` f32, which are ``x_step`` and ``out_step`` bytes apart."""
    builder = v.builder
    with v.times(rows) as row:
        source, target = v.beyond(x, row, x_step), v.beyond(out, row, out_step)

        def move(first: Any, mask: Any, source: Any = source, target: Any = target) -> None:
            offset = builder.mul(first, v.constant(4))
            v.store(v.load(builder.add(source, offset), 0, mask), builder.add(target, offset), 0, mask)

        v.for_each_vector(count, move)
