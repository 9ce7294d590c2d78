"""Products with weights of 4 or 8 bits, which stay so in memory and become f32, or bf16, in registers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels import ir
from irrun_kernels.amx import ROWS
from irrun_kernels.epilogue import activate, add_and_clip
from irrun_kernels.functions import assign, fill
from irrun_kernels.host import BYTES, LANES
from irrun_kernels.micro import FEW_ROWS, VECTORS
from irrun_kernels.native import floats, inlined, intrinsic, kernel, record, several
from irrun_kernels.pixels import move
from irrun_kernels.product import Product, compute, multiply_part
from irrun_kernels.rows import total
from irrun_kernels.vectors import Vectors


class Form(NamedTuple):
    """A form of codes of ``bits``: places in a table of 16 f32, finite floats with ``exponent_bits``, or integers."""

    bits: int
    exponent_bits: int = 0
    has_table: bool = False

    def table(self, v: Vectors, address: Any) -> list[Any]:
        """Emit what a loop needs before it: the table, if there is one.

        With AVX-512, integers of 4 bits have one: a permutation takes the place of two shifts and a conversion.
        """
        if self.has_table:
            return v.load_table(address)
        return [ir.Constant(v.vector, [*range(8), *range(-8, 0)])] if self.bits == 4 and LANES == 16 else []

    def numbers(self, v: Vectors, table: Sequence[Any], words: Any, place: int) -> Any:
        """Emit the f32 that the codes at a place of each word stand for; place 0 is that of the lowest bits."""
        builder = v.builder
        if table:
            return v.look_up(table, builder.lshr(words, v.each(self.bits * place)) if place else words)
        above = 32 - self.bits * (place + 1)
        highest = builder.shl(words, v.each(above)) if above else words
        if not self.exponent_bits:
            return builder.sitofp(builder.ashr(highest, v.each(32 - self.bits)), v.vector)
        # With its exponent where f32 has one, a float is too small by the difference of both biases.
        shift, bias = 8 - self.exponent_bits, (1 << (self.exponent_bits - 1)) - 1
        bits = builder.and_(builder.ashr(highest, v.each(shift)), v.each(0x80000000 | 0x7F000000 >> shift))
        return builder.fmul(builder.bitcast(bits, v.vector), v.every(2.0 ** (127 - bias)))


FORMS: Final = {
    "integers of 4 bits": Form(4),
    "integers of 8 bits": Form(8),
    "table": Form(4, has_table=True),
    "f8e4m3": Form(8, exponent_bits=4),
    "f8e5m2": Form(8, exponent_bits=5),
}

NUMBERS: Final = {name: number for number, name in enumerate(FORMS)}
"""Kernels choose forms by these."""


DEPTH: Final = 512
"""Rows of a panel that are expanded at a time."""

_FORMS: Final = tuple(FORMS.values())

_VARIANTS: Final = tuple(product(range(len(_FORMS)), range(1, VECTORS + 1)))
"""The number of a form and the vectors of a panel."""

_ROWS: Final = tuple((rows,) for rows in range(1, FEW_ROWS + 1))
"""Rows that are multiplied by codes in registers, without a panel of numbers in memory."""

_EXPANDED: Final = tuple((*variant, bf16) for bf16 in (0, 1) for variant in _VARIANTS)
"""The variants of panels, for f32 and for words of two bf16."""

_AHEAD: Final = 2048
"""Bytes that are fetched ahead."""

_SUMS: Final = 8
"""Independent sums that are accumulated in parallel, since each addition waits for the previous one."""


@kernel(Product)
def packed_product(arguments: Any, task: int, workspace: int) -> None:
    """A block of points times a part of the panels."""
    c = record(arguments)
    if c.geometry.counts[2] > FEW_ROWS:
        compute(c, task, workspace, _multiply_expanded)
        return
    panels = -(-c.filters // (c.cut.vectors * LANES))
    part, parts = task % c.cut.groups, c.cut.groups
    _multiply_few(c, panels * part // parts, panels * (part + 1) // parts, workspace)


@inlined
def _multiply_few(c: Any, begin: int, end: int, workspace: int) -> None:
    """Multiply up to `FEW_ROWS` rows with some panels, group by group."""
    codes, e, full, rows = c.codes, c.epilogue, c.cut.vectors * LANES, c.geometry.counts[2]
    group = codes.group
    groups = c.panel_depth // group
    sums = floats(workspace, rows * groups)
    for row in range(rows):
        for index in range(groups):
            place = c.x.start + row * c.x.pixel + 4 * index * group
            sums[row * groups + index] = total(floats(place, group)) if codes.zeros != 0 else 0
    results = workspace + 4 * rows * groups
    for panel in range(begin, end):
        column = panel * full
        width = min(c.filters - column, full)
        vectors = -(-width // LANES)
        each = vectors * LANES
        fill(floats(results, rows * each), np.float32(0))
        for index in range(groups):
            place = 4 * (index * codes.padded + column)
            multiply_codes(
                (codes.form, vectors, rows),
                codes.table,
                group * codes.bits // 32,
                (c.x.start + 4 * index * group, c.x.pixel),
                c.panels + (column * c.panel_depth + index * group * each) * codes.bits // 8,
                (codes.scales + place, codes.zeros + place if codes.zeros != 0 else 0),
                (workspace + 4 * index, 4 * groups),
                results,
            )
        for row in range(rows):
            result = e.out.start + row * e.out.pixel + 4 * column
            assign(floats(result, width), floats(results + 4 * row * each, width))
            summand = e.summand.start + row * e.summand.pixel + 4 * column if e.summand.start != 0 else 0
            add_and_clip(e, floats(result, width), column, summand)
            activate(e, result, 4 * width, 1, width, results + 4 * rows * each)


@inlined
def _multiply_expanded(c: Any, block: Any, place: int, width: int, is_last_panel: bool) -> None:
    """Multiply the rows of a block with a panel, `DEPTH` rows of which become f32 or bf16 at a time."""
    column = place * c.cut.vectors * LANES
    padded = -(-width // LANES) * LANES
    each = 2 if c.bf16 != 0 else 1
    for top in range(0, c.panel_depth, DEPTH):
        depth = min(DEPTH, c.panel_depth - top)
        words = depth // each
        _expand(c, column, padded, top, depth, block.free)
        if c.cut.left_row != 0:
            words = -(-words // ROWS) * ROWS
            fill(floats(block.free + 4 * depth // each * padded, (words - depth // each) * padded), np.float32(0))
        part = (0, 4 * top // each, top == 0, top + DEPTH >= c.panel_depth)
        multiply_part(c, block, part, (1, words), block.free, column, width, (block.free, 0, 0))
        move(block.left, block.rows, 4 * depth // each)
    move(block.left, block.rows, -4 * c.panel_depth // each)


@inlined
def _expand(c: Any, column: int, width: int, top: int, depth: int, out: int) -> None:
    """Write rows of a panel as f32 or pairs of bf16, those of one group at a time."""
    codes = c.codes
    k = top
    while k < top + depth:
        count = min(top + depth, (k // codes.group + 1) * codes.group) - k
        place = 4 * (k // codes.group * codes.padded + column)
        panel = c.panels + (column * c.panel_depth + k * width) * codes.bits // 8
        sides = (codes.scales + place, codes.zeros + place if codes.zeros != 0 else 0)
        variant = (codes.form, width // LANES, c.bf16)
        expand_codes(variant, codes.table, count * codes.bits // 32, panel, sides, out)
        out += (2 if c.bf16 != 0 else 4) * count * width
        k += count


@intrinsic("void", *several(3), *["int64"] * 2, *several(2), "int64", *several(2, 2), "int64")
def multiply_codes(
    v: Vectors, variant: Any, table: Any, words: Any, x: Any, codes: Any, sides: Any, totals: Any, out: Any
) -> None:
    """Add scale * (row * codes - zero * total) to each row of ``out``; ``codes`` are [words, vectors].

    ``variant`` is the number of a form, the vectors, and the rows. ``x`` and ``totals`` are the address of the first
    row, and of the sum of its elements, and the bytes between those of two rows; ``sides`` are the addresses of
    scales, and of zeros or 0.
    """
    for number_of_form, width in v.variants(variant[:2], _VARIANTS):
        form = _FORMS[number_of_form]
        for (rows,) in v.variants(variant[2:], _ROWS):
            sums = _products(v, form, width, [v.beyond(x[0], x[1], row) for row in range(rows)], table, words, codes)
            for row, of_row in enumerate(sums):
                _add_scaled(
                    v, of_row, sides, v.beyond(totals[0], totals[1], row), v.beyond(out, v.constant(row), BYTES * width)
                )


def _products(
    v: Vectors, form: Any, width: int, rows: Sequence[Any], table: Any, words: Any, codes: Any
) -> list[list[Any]]:
    """Emit the products of rows, by their addresses, with codes; returns the vectors of each row."""
    builder, size = v.builder, form.bits
    numbers = form.table(v, table)
    count = max(1, _SUMS // (width * len(rows)))
    sums = [[[v.variable(v.every(0.0)) for _ in range(width)] for _ in range(count)] for _ in rows]
    with v.times(words) as loop:
        here = v.beyond(codes, loop, BYTES * width)
        places = [v.beyond(row, loop, 128 // size) for row in rows]
        for j in range(width):
            v.prefetch(builder.add(here, v.constant(_AHEAD + BYTES * j)), 3)
        loaded = [v.load(here, j, type=v.words) for j in range(width)]
        for number in range(32 // size):
            factors = [form.numbers(v, numbers, word, number) for word in loaded]
            for place, of_row in zip(places, sums, strict=True):
                value = v.splat(builder.load(v.pointer(place, 4 * number, v.float), align=4))
                for factor, total in zip(factors, of_row[number % count], strict=True):
                    builder.store(v.multiply_add(value, factor, builder.load(total)), total)
    return [[reduce(builder.fadd, map(builder.load, parts)) for parts in zip(*of_row, strict=True)] for of_row in sums]


def _add_scaled(v: Vectors, sums: Sequence[Any], sides: Any, total: Any, out: Any) -> None:
    """Emit the addition of scale * (sum - zero * total) to a row; ``total`` is the address of a number."""
    builder = v.builder
    scales, zeros = sides
    for j, whole in enumerate(sums):
        result = v.variable(whole)
        with builder.if_then(v.is_given(zeros)):
            less = v.splat(builder.load(v.pointer(total, 0, v.float), align=4))
            builder.store(builder.fsub(whole, builder.fmul(v.load(zeros, j), less)), result)
        v.store(v.multiply_add(v.load(scales, j), builder.load(result), v.load(out, j)), out, j)


@intrinsic("void", *several(3), *["int64"] * 3, *several(2), "int64")
def expand_codes(v: Vectors, variant: Any, table: Any, words: Any, codes: Any, sides: Any, out: Any) -> None:
    """Write (code - zero) * scale for rows of a panel, with ``sides`` for each column as in `multiply_codes`.

    ``variant`` is the number of a form, the vectors, and 1 where each two rows become words of bf16.
    """
    builder = v.builder
    scales, zeros = sides
    for number_of_form, width, is_bf16 in v.variants(variant, _EXPANDED):
        form = _FORMS[number_of_form]
        each, numbers = 32 // form.bits, form.table(v, table)
        step = 2 if is_bf16 else 1
        scale = [v.load(scales, j) for j in range(width)]
        starts = [v.variable(v.every(0.0)) for _ in range(width)]
        with builder.if_then(v.is_given(zeros)):
            for j, start in enumerate(starts):
                builder.store(v.load(zeros, j), start)
        zero = [builder.load(start) for start in starts]
        with v.times(words) as loop:
            here = v.beyond(codes, loop, BYTES * width)
            place = v.beyond(out, loop, BYTES * width * each // step)
            for j in range(width):
                loaded = v.load(here, j, type=v.words)
                values = [
                    builder.fmul(builder.fsub(form.numbers(v, numbers, loaded, number), zero[j]), scale[j])
                    for number in range(each)
                ]
                if is_bf16:
                    values = [v.paired(*pair) for pair in zip(values[::2], values[1::2], strict=True)]
                for number, value in enumerate(values):
                    v.store(value, place, number * width + j)
