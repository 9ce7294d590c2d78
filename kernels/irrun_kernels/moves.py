"""Copies between layouts, of elements of 1, 2, 4 or 8 bytes, also from and to places that indices choose."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.axes import Axes, advance, count_of, find_indices, find_walk, offset_of
from irrun_kernels.copies import copy_line, copy_rows, transpose
from irrun_kernels.elements import Elements, Step, of_width, unsigned
from irrun_kernels.integers import OUTSIDE
from irrun_kernels.native import Address, Read, Write, floats, inlined, kernel, longs, record, scalar

_PART: Final = 8192
"""Elements of a part of a copy, roughly."""

_TILE: Final = 16
_FEW: Final = 8


class Move(NamedTuple):
    """Arguments of `move`: arrays of elements of ``width`` bytes, with ``axes`` of ``x``, ``out`` and ``at``.

    ``at`` holds places as i64 that are added to those in ``x``, in elements, or is absent. For what is `OUTSIDE` there
    are zeros; ``misfit`` is the address of a number that becomes 1 then, or absent.
    """

    x: Read[Address]
    out: Write[Address]
    at: Read[Address]
    misfit: Write[Address]
    axes: Axes
    width: int
    tasks: int


@kernel(Move)
def move(arguments: Any, task: int, workspace: int) -> None:
    """Some parts of a copy."""
    c = record(arguments)
    width = c.width
    sizes, x_steps, out_steps, at_steps, indices = find_walk(c.axes, workspace)
    row, column = len(sizes) - 2, len(sizes) - 1
    if x_steps[column] != width:
        for axis in range(row):
            if x_steps[axis] == width:
                for numbers in (sizes, x_steps, out_steps, at_steps):
                    numbers[axis], numbers[row] = numbers[row], numbers[axis]
    rows, x_row, out_row, at_row = sizes[row], x_steps[row], out_steps[row], at_steps[row]
    columns, x_column, out_column, at_column = sizes[column], x_steps[column], out_steps[column], at_steps[column]
    if rows * columns == 0:
        return
    wide = min(columns, _PART if x_column == width else _PART // _TILE)
    high = max(1, min(rows, -(-_PART // wide) // _TILE * _TILE))
    across, down = -(-columns // wide), -(-rows // high)
    each = across * down
    indices = indices[:row]
    parts = count_of(sizes[:row]) * each
    first, last = task * parts // c.tasks, (task + 1) * parts // c.tasks
    if first == last:
        return
    find_indices(indices, sizes, first // each)
    block = first % each - 1
    for _ in range(first, last):
        block += 1
        if block == each:
            block = 0
            advance(indices, sizes)
        top, left = block // across * high, block % across * wide
        x = c.x + offset_of(indices, x_steps) + top * x_row + left * x_column
        out = c.out + offset_of(indices, out_steps) + top * out_row + left * out_column
        lines, length = min(high, rows - top), min(wide, columns - left)
        if c.at == 0:
            copy_block(width, x, x_row, x_column, out, out_row, out_column, lines, length)
            continue
        at = c.at + offset_of(indices, at_steps) + top * at_row + left * at_column
        if at_column != 0:
            for line in range(lines):
                places, target = longs(at + line * at_row), out + line * out_row
                if _pick(width, x + line * x_row, x_column, places, at_column // 8, target, out_column, length):
                    report(c.misfit)
            continue
        alike = lines if at_row == 0 else 1
        for line in range(0, lines, alike):
            place, target = longs(at + line * at_row, 1)[0], out + line * out_row
            if is_outside(place):
                report(c.misfit)
                for number in range(alike):
                    _clear(width, target + number * out_row, out_column, length)
            else:
                source = x + line * x_row + width * place
                copy_block(width, source, x_row, x_column, target, out_row, out_column, alike, length)


@inlined
def is_outside(place: int) -> bool:
    """Return whether a place is that of an element that does not exist."""
    return place < OUTSIDE // 2


@inlined
def report(misfit: int) -> None:
    """Write that an element does not exist."""
    if misfit != 0:
        longs(misfit, 1)[0] = 1


@inlined
def copy_block(
    width: int, x: int, x_row: int, x_column: int, out: int, out_row: int, out_column: int, rows: int, columns: int
) -> None:
    """Copy rows of elements of some bytes, with any strides in bytes."""
    if x_column == width and out_column == width:
        _copy_lines(x, x_row, out, out_row, rows, width * columns)
    elif width == 4 and x_row == 4 and out_column == 4 and out_row == 4 * columns and 2 <= columns <= 4:
        _interleave(x, x_column // 4, columns, out, rows)
    elif width == 4 and x_row == 4 and out_column == 4 and x_column == 4 * rows and 2 <= rows <= 4:
        _separate(x, rows, out, out_row // 4, columns)
    elif width == 4 and rows >= _FEW and columns >= _FEW and (x_column != 0 or out_column != 4):
        transpose(x, x_row // 4, x_column // 4, out, out_row // 4, out_column // 4, rows, columns)
    elif rows > columns:
        for column in range(columns):
            copy_line(width, x + column * x_column, x_row, out + column * out_column, out_row, rows)
    else:
        for row in range(rows):
            copy_line(width, x + row * x_row, x_column, out + row * out_row, out_column, columns)


@inlined
def _interleave(x: int, step: int, count: int, out: int, rows: int) -> None:
    """Interleave 2, 3 or 4 columns into rows."""
    if count == 2:
        _copy_few(x, 1, step, out, 2, 1, rows, 2)
    elif count == 3:
        _copy_few(x, 1, step, out, 3, 1, rows, 3)
    else:
        _copy_few(x, 1, step, out, 4, 1, rows, 4)


@inlined
def _separate(x: int, count: int, out: int, step: int, columns: int) -> None:
    """Write 2, 3 or 4 interleaved rows behind each other."""
    if count == 2:
        _copy_few(x, 2, 1, out, 1, step, columns, 2)
    elif count == 3:
        _copy_few(x, 3, 1, out, 1, step, columns, 3)
    else:
        _copy_few(x, 4, 1, out, 1, step, columns, 4)


@scalar
def _copy_few(x: int, x_row: int, x_step: int, out: int, out_row: int, out_step: int, rows: int, few: int) -> None:
    """Copy rows of few f32. Their number and some distances are constants, so that LLVM shuffles them in registers."""
    source, target = floats(x), floats(out)
    for i in range(rows):
        for j in range(few):
            target[unsigned(i * out_row + j * out_step)] = source[unsigned(i * x_row + j * x_step)]


@inlined
def _copy_lines(x: int, x_row: int, out: int, out_row: int, rows: int, count: int) -> None:
    """Copy rows of ``count`` bytes."""
    if count % 4 == 0:
        copy_rows(x, x_row, out, out_row, rows, count // 4)
        return
    for row in range(rows):
        copy_line(1, x + row * x_row, 1, out + row * out_row, 1, count)


@of_width
def _clear(out: Elements, out_step: Step, count: int) -> None:
    for i in range(count):
        out[unsigned(i * out_step)] = 0


@of_width
def _pick(x: Elements, x_step: Step, at: Any, at_step: int, out: Elements, out_step: Step, count: int) -> bool:
    """Copy elements from places of their own; return whether some are outside."""
    missing = False
    for i in range(count):
        place = at[unsigned(i * at_step)]
        if is_outside(place):
            missing = True
            out[unsigned(i * out_step)] = 0
        else:
            out[unsigned(i * out_step)] = x[unsigned(i * x_step + place)]
    return missing
