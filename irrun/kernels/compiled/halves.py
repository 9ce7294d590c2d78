"""Numbers rounded to half precision."""

from __future__ import annotations

from typing import Any, NamedTuple

from irrun.kernels.compiled.micro import AS_BITS, round_row
from irrun.kernels.compiled.native import inlined, intrinsic, kernel, octets, record
from irrun.kernels.compiled.vectors import Vectors


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


@inlined
def round_pairs(x: int, count: int, out: int) -> int:
    """Write f32 as words of two bf16, the last one with a zero where the number is odd; return where they are.

    ``out`` may be ``x``.
    """
    round_row(AS_BITS, x, out, count)
    if count % 2 != 0:
        octets(out + 2 * count, 2)[:] = 0
    return out


@intrinsic("void", *["int64"] * 4)
def pair_rows(v: Vectors, lower: Any, upper: Any, out: Any, count: Any) -> None:
    """Write words of two bf16: an f32 of one row, and of another, which is zeros if its address is 0."""
    builder = v.builder

    def pair(first: Any, mask: Any) -> None:
        beyond = builder.mul(first, v.constant(4))
        second = v.variable(v.every(0.0))
        with builder.if_then(v.is_given(upper)):
            builder.store(v.load(builder.add(upper, beyond), 0, mask), second)
        words = v.paired(v.load(builder.add(lower, beyond), 0, mask), builder.load(second))
        v.store(words, builder.add(out, beyond), 0, mask)

    v.for_each_vector(count, pair)
