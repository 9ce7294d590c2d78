"""Numbers rounded to half precision."""

from __future__ import annotations

from typing import Any, NamedTuple

from irrun.kernels.compiled.micro import round_row
from irrun.kernels.compiled.native import kernel, record


class Round(NamedTuple):
    """Arguments of `rounding`: f32 in rows of ``columns``, of which each ``size`` are ``x_row`` bytes apart.

    Others are ``x_block`` bytes apart. Results, ``width`` bytes each, have no gaps. The last row may be shorter; a task
    has some rows. ``form`` is one of those of `round_row`.
    """

    x: int
    out: int
    form: int
    width: int
    elements: int
    columns: int
    size: int
    x_block: int
    x_row: int
    rows_per_task: int


@kernel(Round)
def rounding(arguments: Any, task: int, workspace: int) -> None:
    """The nearest number of half precision of each element."""
    c = record(arguments)
    rows = -(-c.elements // c.columns)
    for row in range(task * c.rows_per_task, min(rows, (task + 1) * c.rows_per_task)):
        x = c.x + row // c.size * c.x_block + row % c.size * c.x_row
        first = row * c.columns
        round_row(c.form, x, c.out + c.width * first, min(c.columns, c.elements - first))
