"""Recurrent sequences, step by step: one task for each direction."""

from __future__ import annotations

from typing import Any, NamedTuple

from irrun_kernels.conversions import round_pairs
from irrun_kernels.functions import HALF, assign, tanh
from irrun_kernels.host import LANES
from irrun_kernels.micro import multiply_rows
from irrun_kernels.native import Address, Read, Write, floats, inlined, kernel, longs, record
from irrun_kernels.pixels import move
from irrun_kernels.stacks import Matrices, matrix_of


class Lstm(NamedTuple):
    """Arguments of `lstm`. Stacks are those of a batch, matrices those of directions.

    ``projected`` are the shares of the input in the gates [directions, batch, steps, 4 * size], in the order i, f, o, c
    and halved for sigmoids, ``panels`` packed weights of the state for each direction: with ``halves``, words of two
    bf16, and states are rounded before they are multiplied. States and ``ends`` are [batch,
    directions, size], ``out`` is [batch, directions, steps, size]. ``reverse`` has a bit for each direction.
    """

    projected: Read[Address]
    panels: Read[Address]
    hidden: Read[Matrices]
    cell: Read[Matrices]
    out: Write[Matrices]
    end_hidden: Write[Matrices]
    end_cell: Write[Matrices]
    batch: int
    steps: int
    size: int
    reverse: int
    next_panels: int
    tile_rows: int
    vectors: int
    halves: int


@kernel(Lstm)
def lstm(arguments: Any, task: int, workspace: int) -> None:
    """Run one direction; workspace holds addresses, the gates of all sequences, and their states in bf16."""
    c = record(arguments)
    columns = 4 * c.size
    rows = -(-c.batch // c.tile_rows) * c.tile_rows
    gates = workspace + 24 * rows
    lefts, targets = longs(workspace, rows), longs(workspace + 8 * rows, rows)
    added = longs(workspace + 16 * rows, rows)
    depth = -(-c.size // 2) if c.halves != 0 else c.size
    rounded = gates + 4 * c.batch * columns
    panels = c.panels + task * c.next_panels
    is_reverse = (c.reverse >> task) & 1
    for b in range(c.batch):
        start = floats(matrix_of(c.cell, b, task), c.size)
        assign(floats(matrix_of(c.end_cell, b, task), c.size), start)
    before = 0
    for number in range(c.steps):
        step = c.steps - 1 - number if is_reverse != 0 else number
        for index in range(rows):
            b = min(index, c.batch - 1)
            lefts[index] = matrix_of(c.hidden, b, task)
            if number > 0:
                lefts[index] = matrix_of(c.out, b, task) + before * c.out.row
            if c.halves != 0:
                lefts[index] = round_pairs(lefts[index], c.size, rounded + 4 * b * depth)
            targets[index] = gates + 4 * b * columns
            added[index] = c.projected + 4 * ((task * c.batch + b) * c.steps + step) * columns
        for column in range(0, columns, c.vectors * LANES):
            width = min(columns - column, c.vectors * LANES)
            panel, panel_step = panels + 4 * column * depth, 4 * -(-width // LANES) * LANES
            out_rows, added_rows = workspace + 8 * rows, workspace + 16 * rows
            multiply_rows(c.tile_rows, c.halves, workspace, rows, depth, panel, panel_step, out_rows, added_rows, width)
            move(out_rows, 2 * rows, 4 * c.vectors * LANES)
        for b in range(c.batch):
            _finish(
                floats(gates + 4 * b * columns, columns),
                floats(matrix_of(c.end_cell, b, task), c.size),
                floats(matrix_of(c.out, b, task) + step * c.out.row, c.size),
            )
        before = step
    for b in range(c.batch):
        last = floats(matrix_of(c.out, b, task) + before * c.out.row, c.size)
        assign(floats(matrix_of(c.end_hidden, b, task), c.size), last)


@inlined
def _finish(gates: Any, cell: Any, out: Any) -> None:
    """Gates and cell become the state after a step."""
    size = len(out)
    for i in range(size):
        taken = (tanh(gates[i]) * HALF + HALF) * tanh(gates[i + 3 * size])
        cell[i] = taken + (tanh(gates[i + size]) * HALF + HALF) * cell[i]
    for i in range(size):
        out[i] = (tanh(gates[i + 2 * size]) * HALF + HALF) * tanh(cell[i])
