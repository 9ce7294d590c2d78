"""Running sums, and the indices of elements that are not zero."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.axes import AXES, Axes, Strided, axis_of, find_axes, place_of, product_of
from irrun_kernels.elements import F32, F64, I32, I64, Elements, Step, of_kind, unsigned
from irrun_kernels.native import Address, Read, Write, kernel, longs, octets, record

WIDE: Final = 256
"""Columns that a task has at least, if there are as many."""

_FEW: Final = 8


class Scan(NamedTuple):
    """Arguments of `scan`: arrays with the axes ``size``, and another axis of ``length`` elements. Steps are in bytes.

    Elements are f32, f64, i32 or i64 by ``kind``.
    """

    x: Read[Strided]
    out: Write[Strided]
    size: Axes
    length: int
    x_step: int
    out_step: int
    kind: int
    tasks: int


@kernel(Scan)
def scan(arguments: Any, task: int, workspace: int) -> None:
    """The sum of each element and those before it along an axis; integers wrap."""
    c = record(arguments)
    if c.length == 0:
        return
    axes = find_axes(c.size, c.x.step, c.out.step, c.out.step, 0, workspace)
    columns, x_column, out_column, _ = axis_of(workspace, axes - 1)
    across = -(-columns // WIDE)
    items = product_of(workspace, axes - 1) * across
    for item in range(task * items // c.tasks, (task + 1) * items // c.tasks):
        left = item % across * WIDE
        wide = min(WIDE, columns - left)
        x, out, _ = place_of(workspace, axes - 1, item // across)
        x += c.x.start + left * x_column
        out += c.out.start + left * out_column
        _add_up(c.kind, x, c.x_step, x_column, out, c.out_step, out_column, c.length, wide)


@of_kind(F32, F64, I32, I64)
def _add_up(
    x: Elements, x_step: Step, x_column: Step, out: Elements, out_step: Step, out_column: Step, count: int, columns: int
) -> None:
    if x_column == 1 and out_column == 1 and columns >= _FEW:
        for i in range(columns):
            out[i] = x[i]
        for j in range(1, count):
            for i in range(columns):
                out[unsigned(j * out_step + i)] = out[unsigned((j - 1) * out_step + i)] + x[unsigned(j * x_step + i)]
        return
    for i in range(columns):
        total = x[unsigned(i * x_column)]
        out[unsigned(i * out_column)] = total
        for j in range(1, count):
            total += x[unsigned(j * x_step + i * x_column)]
            out[unsigned(j * out_step + i * out_column)] = total


_WORD = 8
"""Bytes that are compared with zero at a time."""


class NonZero(NamedTuple):
    """Arguments of `find_nonzero`: booleans of ``size``, contiguous, ``elements`` in all, along the last ``rank`` axes.

    ``out`` are i32 or i64 by ``kind``, [rank, elements]; ``found`` is how many columns of it are used.
    """

    x: Read[Address]
    out: Write[Address]
    found: Write[Address]
    size: Axes
    rank: int
    elements: int
    kind: int


@kernel(NonZero)
def find_nonzero(arguments: Any, task: int, workspace: int) -> None:
    """The indices of true elements in row-major order, a column for each, zeros behind them, and their number."""
    c = record(arguments)
    longs(c.found, 1)[0] = _find(c.kind, c.x, c.out, c.size, c.rank, c.elements)


@of_kind(I32, I64)
def _find(x: int, out: Elements, size: Any, rank: int, count: int) -> int:
    found, place = 0, 0
    truths = octets(x, count)
    while place < count:
        if place % _WORD == 0 and place + _WORD <= count and longs(x + place, 1)[0] == 0:
            place += _WORD
            continue
        if truths[place] != 0:
            rest = place
            for axis in range(rank):
                long = size[AXES - 1 - axis]
                out[(rank - 1 - axis) * count + found] = rest % long
                rest //= long
            found += 1
        place += 1
    for axis in range(rank):
        for column in range(found, count):
            out[axis * count + column] = 0
    return found
