"""Recurrent sequences, step by step: one task for each direction."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.conversions import round_row_to_bf16
from irrun_kernels.functions import HALF, add, assign, fill, tanh
from irrun_kernels.host import LANES
from irrun_kernels.micro import multiply_panels
from irrun_kernels.native import NOWHERE, Address, Read, Write, floats, inlined, kernel, longs, record
from irrun_kernels.stacks import Matrices, matrix_of

RNN_TANH, RNN_RELU, GRU, GRU_LINEAR, LSTM = range(5)
"""Cells; that of GRU_LINEAR multiplies the state with its weights before the reset gate is applied."""

GATES: Final = (1, 1, 3, 3, 4)
"""The gates of each: one, or z, r, h, or i, f, o, c."""


class Recurrence(NamedTuple):
    """Arguments of `recurrence`. Stacks are those of a batch, matrices those of directions.

    ``projected`` are the shares of the input in the gates [directions, batch, steps, gates * size], halved for
    sigmoids, ``panels`` packed weights of the state for each direction, ``last_panels`` those of the candidate of a
    GRU: with ``bf16``, words of two bf16, and states are rounded before they are multiplied. ``inner`` are biases
    [directions, size] of the state in the candidate of GRU_LINEAR. States and ``ends`` are [batch, directions, size],
    ``out`` is [batch, directions, steps, size]; there are cells in an LSTM only. ``lengths`` are i64 [batch], or absent
    for whole sequences. ``reverse`` has a bit for each direction.
    """

    projected: Read[Address]
    panels: Read[Address]
    hidden: Read[Matrices]
    out: Write[Matrices]
    end_hidden: Write[Matrices]
    kind: int
    gates: int
    batch: int
    steps: int
    size: int
    reverse: int
    tile_rows: int
    vectors: int
    bf16: int
    last_panels: Read[Address] = NOWHERE
    cell: Read[Matrices] = Matrices()
    end_cell: Write[Matrices] = Matrices()
    inner: Read[Address] = NOWHERE
    lengths: Read[Address] = NOWHERE


@kernel(Recurrence)
def recurrence(arguments: Any, task: int, workspace: int) -> None:
    """Run one direction.

    Workspace holds addresses, the gates and scaled states of all sequences, and their states in bf16. Where a sequence
    has ended, what it would be is computed, but not used.
    """
    c = record(arguments)
    columns = c.gates * c.size
    rows = -(-c.batch // c.tile_rows) * c.tile_rows
    gates = workspace + 24 * rows
    scaled = gates + 4 * c.batch * columns
    rounded = scaled + 4 * c.batch * c.size
    lefts, targets, added = (
        longs(workspace, rows),
        longs(workspace + 8 * rows, rows),
        longs(workspace + 16 * rows, rows),
    )
    if c.kind == LSTM:
        for b in range(c.batch):
            start = floats(matrix_of(c.cell, b, task), c.size)
            assign(floats(matrix_of(c.end_cell, b, task), c.size), start)
    is_gru, phases = c.kind == GRU or c.kind == GRU_LINEAR, 2 if c.kind == GRU else 1
    depth = -(-c.size // 2) if c.bf16 != 0 else c.size
    for turn in range(phases * c.steps):
        number, phase = turn // phases, turn % phases
        for index in range(rows):
            b = min(index, c.batch - 1)
            lefts[index] = _rounded(
                c, _state(c, task, b, number) if phase == 0 else scaled + 4 * b * c.size, rounded, b
            )
            targets[index] = gates + 4 * (b * columns + phase * 2 * c.size)
            added[index] = _given(c, task, b, number)
        width = columns if phases == 1 else (2 - phase) * c.size
        left, out_rows, added_rows = workspace, workspace + 8 * rows, 0 if is_gru else workspace + 16 * rows
        panel = (c.panels if phase == 0 else c.last_panels) + 4 * task * depth * (-(-width // LANES) * LANES)
        multiply_panels(c.tile_rows, c.vectors, c.bf16, left, rows, depth, panel, 0, out_rows, added_rows, width)
        for b in range(c.batch):
            place, given = gates + 4 * b * columns, _given(c, task, b, number)
            out = floats(matrix_of(c.out, b, task) + _step(c, task, b, number) * c.out.row, c.size)
            state = floats(_state(c, task, b, number), c.size)
            if is_gru and phase == 0:
                _open(floats(place, 2 * c.size), floats(given, 2 * c.size))
            if phase + 1 < phases:
                _scale(floats(place + 4 * c.size, c.size), state, floats(scaled + 4 * b * c.size, c.size))
            elif number >= _length(c, b):
                fill(out, np.float32(0))
            elif c.kind == LSTM:
                _finish(floats(place, columns), floats(matrix_of(c.end_cell, b, task), c.size), out)
            elif is_gru:
                candidate = floats(place + 8 * c.size, c.size)
                if c.kind == GRU_LINEAR:
                    _reset(candidate, floats(place + 4 * c.size, c.size), c.inner, task)
                _blend(floats(place, c.size), candidate, floats(given + 8 * c.size, c.size), state, out)
            else:
                assign(out, floats(place, c.size))
                _activate(out, c.kind)
    for b in range(c.batch):
        end = floats(matrix_of(c.end_hidden, b, task), c.size)
        assign(end, floats(_state(c, task, b, c.steps), c.size))
        if c.lengths != 0 and not 0 < longs(c.lengths, c.batch)[b] <= c.steps:
            fill(end, np.float32(0))
            if c.kind == LSTM:
                fill(floats(matrix_of(c.end_cell, b, task), c.size), np.float32(0))


@inlined
def _length(c: Any, b: int) -> Any:
    """The steps of a sequence."""
    return min(max(longs(c.lengths, c.batch)[b], 0), c.steps) if c.lengths != 0 else c.steps


@inlined
def _step(c: Any, task: int, b: int, number: int) -> Any:
    """The place of what is computed as a step; steps behind the end of a sequence keep their places."""
    length = _length(c, b)
    return length - 1 - number if (c.reverse >> task) & 1 != 0 and number < length else number


@inlined
def _given(c: Any, task: int, b: int, number: int) -> int:
    """The address of the shares of the input in the gates of a step."""
    return int(c.projected + 4 * ((task * c.batch + b) * c.steps + _step(c, task, b, number)) * c.gates * c.size)


@inlined
def _state(c: Any, task: int, b: int, number: int) -> int:
    """The address of the state before a step."""
    done = min(number, _length(c, b))
    if done == 0:
        return matrix_of(c.hidden, b, task)
    return int(matrix_of(c.out, b, task) + _step(c, task, b, done - 1) * c.out.row)


@inlined
def _rounded(c: Any, state: int, rounded: int, b: int) -> Any:
    """The address of a state as it is multiplied."""
    return round_row_to_bf16(state, c.size, rounded + 4 * b * -(-c.size // 2)) if c.bf16 != 0 else state


@inlined
def _finish(gates: Any, cell: Any, out: Any) -> None:
    """Gates and cell of an LSTM become the state after a step."""
    size = len(out)
    for i in range(size):
        taken = (tanh(gates[i]) * HALF + HALF) * tanh(gates[i + 3 * size])
        cell[i] = taken + (tanh(gates[i + size]) * HALF + HALF) * cell[i]
    for i in range(size):
        out[i] = (tanh(gates[i + 2 * size]) * HALF + HALF) * tanh(cell[i])


@inlined
def _open(gates: Any, given: Any) -> None:
    """Gates of a GRU from the shares of state and input."""
    for i in range(len(gates)):
        gates[i] = tanh(gates[i] + given[i]) * HALF + HALF


@inlined
def _scale(gate: Any, x: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = gate[i] * x[i]


@inlined
def _reset(candidate: Any, gate: Any, inner: int, task: int) -> None:
    """Add biases, which may be absent, to what the state contributes to the candidate, and apply the reset gate."""
    size = len(gate)
    if inner != 0:
        add(candidate, floats(inner + 4 * task * size, size))
    for i in range(size):
        candidate[i] *= gate[i]


@inlined
def _blend(update: Any, candidate: Any, given: Any, state: Any, out: Any) -> None:
    """The state of a GRU after a step, from the shares of state and input in the candidate."""
    for i in range(len(out)):
        candidate[i] = tanh(candidate[i] + given[i])
    for i in range(len(out)):
        out[i] = candidate[i] + update[i] * (state[i] - candidate[i])


@inlined
def _activate(x: Any, kind: int) -> None:
    if kind == RNN_TANH:
        for i in range(len(x)):
            x[i] = tanh(x[i])
    else:
        for i in range(len(x)):
            x[i] = max(x[i], np.float32(0))
