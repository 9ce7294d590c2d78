"""Products of stacks of matrices, both of which change from run to run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun_kernels.copies import copy_rows, transpose
from irrun_kernels.functions import fill
from irrun_kernels.host import LANES
from irrun_kernels.micro import multiply_rows
from irrun_kernels.native import NOWHERE, Address, Read, Write, floats, inlined, kernel, record
from irrun_kernels.pixels import find_rows, move


class Matrices(NamedTuple):
    """The address of an array [stacks of stacks, stacks, matrices, rows, columns], 0 for none, and its strides.

    Strides are in bytes, and 0 along axes that are broadcast.
    """

    start: Address = NOWHERE
    outer: int = 0
    stack: int = 0
    matrix: int = 0
    row: int = 0
    element: int = 0


@inlined
def matrix_of(x: Any, stack: int, matrix: int) -> int:
    """The address of one of `Matrices`."""
    return int(x.start + stack * x.stack + matrix * x.matrix)


class StackedProduct(NamedTuple):
    """Arguments of `stacked_product`.

    ``x`` are [stacks, matrices, rows, depth], ``y`` [stacks, matrices, depth, columns] where one of the last two axes
    has neighbours, ``out`` [stacks, matrices, rows, columns]. A task has some rows of one product.
    """

    x: Read[Matrices]
    y: Read[Matrices]
    out: Write[Matrices]
    matrices: int
    rows: int
    depth: int
    columns: int
    tile_rows: int
    vectors: int
    rows_per_task: int


@kernel(StackedProduct)
def stacked_product(arguments: Any, task: int, workspace: int) -> None:
    """Some rows of one product; workspace has room for a panel, and for two addresses of each row."""
    c = record(arguments)
    parts = -(-c.rows // c.rows_per_task)
    index, first = task // parts, task % parts * c.rows_per_task
    stack, matrix = index // c.matrices, index % c.matrices
    count = min(c.rows_per_task, c.rows - first)
    padded = -(-count // c.tile_rows) * c.tile_rows
    panel = workspace + 16 * padded
    x, y, out = (matrix_of(c.x, stack, matrix), matrix_of(c.y, stack, matrix), matrix_of(c.out, stack, matrix))
    find_rows(x + first * c.x.row, c.x.row, count, padded, workspace)
    find_rows(out + first * c.out.row, c.out.row, count, padded, workspace + 8 * padded)
    full = c.vectors * LANES
    for column in range(0, c.columns, full):
        width = min(c.columns - column, full)
        vectors = -(-width // LANES)
        pack_panel(y + column * c.y.element, c.y.row, c.y.element, c.depth, width, panel, vectors * LANES)
        multiply_rows(
            c.tile_rows, 0, workspace, padded, c.depth, panel, 4 * vectors * LANES, workspace + 8 * padded, 0, width
        )
        move(workspace + 8 * padded, padded, 4 * full)


@inlined
def pack_panel(x: int, row: int, column: int, rows: int, columns: int, panel: int, padded: int) -> None:
    """Write a matrix of f32 or words as rows of ``padded``, of which the last ones are zeros.

    ``row`` and ``column`` are the distances of those in bytes. Numbers below 1e-38, which memory may hold, are slow.
    """
    if columns < padded:
        fill(floats(panel, rows * padded), np.float32(0))
    if column == 4:
        copy_rows(x, row, panel, 4 * padded, rows, columns)
    else:
        transpose(x, row // 4, column // 4, panel, padded, 1, rows, columns)
