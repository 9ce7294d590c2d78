"""Running sums, and the indices of elements that are not zero."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.axes import Axes, count_of, find_indices, find_walk, offset_of
from irrun_kernels.elements import Elements, Step, of_kind, unsigned
from irrun_kernels.native import Address, Read, Write, kernel, longs, octets, record

WIDE: Final = 256
"""Columns that a task has at least, if there are as many."""

_FEW: Final = 8


class Scan(NamedTuple):
    """Arguments of `scan`: arrays with ``axes``, and another axis of ``length`` elements. Steps are in bytes.

    Elements are f32, f64, i32 or i64 by ``kind``.
    """

    x: Read[Address]
    out: Write[Address]
    axes: Axes
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
    sizes, x_steps, out_steps, _, indices = find_walk(c.axes, workspace)
    last = len(sizes) - 1
    columns, x_column, out_column = sizes[last], x_steps[last], out_steps[last]
    across, indices = -(-columns // WIDE), indices[:last]
    items = count_of(sizes[:last]) * across
    for item in range(task * items // c.tasks, (task + 1) * items // c.tasks):
        left = item % across * WIDE
        wide = min(WIDE, columns - left)
        find_indices(indices, sizes, item // across)
        x = c.x + offset_of(indices, x_steps) + left * x_column
        out = c.out + offset_of(indices, out_steps) + left * out_column
        _add_up(c.kind, x, c.x_step, x_column, out, c.out_step, out_column, c.length, wide)


@of_kind("fdiq")
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
    """Arguments of `find_nonzero`: contiguous booleans, ``elements`` in all; ``axes`` have sizes, and no strides.

    ``out`` are i64 [axes, elements]; ``found`` is how many columns of it are used.
    """

    x: Read[Address]
    out: Write[Address]
    found: Write[Address]
    axes: Axes
    elements: int


@kernel(NonZero)
def find_nonzero(arguments: Any, task: int, workspace: int) -> None:
    """The indices of true elements in row-major order, a column for each, zeros behind them, and their number."""
    c = record(arguments)
    rank, count, found, place = c.axes.rank, c.elements, 0, 0
    sizes, truths, out = longs(c.axes.table, rank), octets(c.x, count), longs(c.out)
    while place < count:
        if place % _WORD == 0 and place + _WORD <= count and longs(c.x + place, 1)[0] == 0:
            place += _WORD
            continue
        if truths[place] != 0:
            rest = place
            for axis in range(rank - 1, -1, -1):
                out[axis * count + found] = rest % sizes[axis]
                rest //= sizes[axis]
            found += 1
        place += 1
    for axis in range(rank):
        for column in range(found, count):
            out[axis * count + column] = 0
    longs(c.found, 1)[0] = found
