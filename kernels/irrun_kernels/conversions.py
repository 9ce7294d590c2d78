"""Conversions of elements: f32 to half precision or to levels, and levels to f32."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.bytes import dequantize_row, quantize_row
from irrun_kernels.micro import AS_BITS, AS_F16, round_row
from irrun_kernels.native import Address, Read, Write, inlined, intrinsic, kernel, octets, record
from irrun_kernels.vectors import Vectors

AS_LEVELS: Final = AS_F16 + 1
AS_NUMBERS: Final = AS_F16 + 2
"""Conversions besides the forms of `round_row`."""


class Rows(NamedTuple):
    """The elements of an array in the order of memory, as blocks of rows of neighbours.

    ``size`` is the number of rows in a block; ``block`` and ``row`` are bytes from block to block and row to row.
    """

    columns: int
    size: int
    block: int
    row: int


class Convert(NamedTuple):
    """Arguments of `convert`. Results, ``width`` bytes each, have no gaps; the last row may be shorter.

    For levels, ``low`` is the number of level 0 and ``most`` the last level, whose number is ``high``, or as far from
    ``low`` as ``high`` says where levels are converted to numbers.
    """

    x: Read[Address]
    rows: Rows
    out: Write[Address]
    width: int
    form: int
    elements: int
    rows_per_task: int
    low: float = 0.0
    high: float = 0.0
    most: float = 0.0


@kernel(Convert)
def convert(arguments: Any, task: int, workspace: int) -> None:
    """Convert some rows."""
    c = record(arguments)
    low, high, most = np.float32(c.low), np.float32(c.high), np.float32(c.most)
    rows = -(-c.elements // c.rows.columns)
    for row in range(task * c.rows_per_task, min(rows, (task + 1) * c.rows_per_task)):
        x = c.x + row // c.rows.size * c.rows.block + row % c.rows.size * c.rows.row
        first = row * c.rows.columns
        out, count = c.out + c.width * first, min(c.rows.columns, c.elements - first)
        if c.form == AS_LEVELS:
            quantize_row(x, out, count, low, high, most)
        elif c.form == AS_NUMBERS:
            dequantize_row(x, out, count, low, high, most)
        else:
            round_row(c.form, x, out, count)


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
