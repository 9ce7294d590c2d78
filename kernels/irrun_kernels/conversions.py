"""Conversions of elements: f32 to half precision or to levels, and levels to f32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from irrun_kernels.native import Address, Read, Write, inlined, intrinsic, kernel, octets, record
from irrun_kernels.vectors import Vectors

AS_BITS, AS_FLOATS, AS_F16, AS_LEVELS, AS_NUMBERS = range(5)
"""Conversions: the bits of bf16, f32 that bf16 or f16 hold, levels, and the numbers that levels stand for."""


@intrinsic("void", *["int64"] * 4)
def round_row(v: Vectors, form: Any, x: Any, out: Any, count: Any) -> None:
    """Write ``count`` rounded f32 in one of the first three forms."""
    functions = {AS_BITS: v.rounded, AS_FLOATS: lambda value: v.unpacked(v.rounded(value)), AS_F16: v.rounded_to_f16}
    for (number,) in v.variants((form,), ((form,) for form in functions)):
        _convert_row(v, x, out, count, v.vector, functions[number])


@intrinsic("void", *["int64"] * 3, *["float32"] * 3, "int64")
def quantize_row(v: Vectors, x: Any, out: Any, count: Any, low: Any, high: Any, most: Any, factors: Any) -> None:
    """Write the levels, from 0 to ``most``, of ``count`` f32 from ``low`` to ``high`` as bytes.

    Numbers are first multiplied by those of a row with the address ``factors``, if that is not 0.
    """
    builder = v.builder
    least, largest, steps = v.splat(low), v.splat(high), v.splat(most)
    span = v.splat(builder.fsub(high, low))

    def level(value: Any) -> Any:
        above = builder.fsub(v.smallest(v.largest(value, least), largest), least)
        return v.nearest(builder.fmul(builder.fdiv(above, span), steps), steps)

    def scaled(first: Any, mask: Any) -> None:
        values = (v.load(v.beyond(row, first, 4), 0, mask) for row in (x, factors))
        v.store(level(builder.fmul(*values)), v.beyond(out, first, 1), 0, mask)

    with builder.if_else(v.is_given(factors)) as (with_factors, without):
        with with_factors:
            v.for_each_vector(count, scaled)
        with without:
            _convert_row(v, x, out, count, v.vector, level)


@intrinsic("void", *["int64"] * 3, *["float32"] * 3)
def dequantize_row(v: Vectors, levels: Any, out: Any, count: Any, low: Any, span: Any, most: Any) -> None:
    """Write level / most * span + low for ``count`` bytes."""
    builder = v.builder
    least, whole, steps = v.splat(low), v.splat(span), v.splat(most)

    def number(bytes: Any) -> Any:
        return builder.fadd(builder.fmul(builder.fdiv(v.widened(bytes), steps), whole), least)

    _convert_row(v, levels, out, count, v.bytes, number)


def _convert_row(v: Vectors, x: Any, out: Any, count: Any, source: Any, function: Callable[[Any], Any]) -> None:
    def convert(first: Any, mask: Any) -> None:
        value = function(v.load(v.beyond(x, first, v.bytes_of(source)), 0, mask, source))
        v.store(value, v.beyond(out, first, v.bytes_of(value.type)), 0, mask)

    v.for_each_vector(count, convert)


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
            quantize_row(x, out, count, low, high, most, 0)
        elif c.form == AS_NUMBERS:
            dequantize_row(x, out, count, low, high, most)
        else:
            round_row(c.form, x, out, count)


@inlined
def round_row_to_bf16(x: int, count: int, out: int) -> int:
    """Write f32 as words of two bf16, the last one with a zero where the number is odd; return where they are.

    ``out`` may be ``x``.
    """
    round_row(AS_BITS, x, out, count)
    if count % 2 != 0:
        octets(out + 2 * count, 2)[:] = 0
    return out


@intrinsic("void", *["int64"] * 4)
def interleave_rows(v: Vectors, lower: Any, upper: Any, out: Any, count: Any) -> None:
    """Write words of two bf16: an f32 of one row, and of another, which is zeros if its address is 0."""

    def pair(first: Any, mask: Any) -> None:
        second = v.variable(v.every(0.0))
        with v.builder.if_then(v.is_given(upper)):
            v.builder.store(v.load(v.beyond(upper, first, 4), 0, mask), second)
        words = v.paired(v.load(v.beyond(lower, first, 4), 0, mask), v.builder.load(second))
        v.store(words, v.beyond(out, first, 4), 0, mask)

    v.for_each_vector(count, pair)
