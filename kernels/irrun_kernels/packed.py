"""Products with weights of 4 or 8 bits, which stay so in memory and become f32, or bf16, in registers."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import numpy as np

from irrun_kernels.amx import ROWS
from irrun_kernels.codes import FORMS
from irrun_kernels.epilogue import activate, add_to_row, clip_row
from irrun_kernels.functions import assign, fill
from irrun_kernels.host import BYTES, LANES
from irrun_kernels.micro import VECTORS
from irrun_kernels.native import floats, inlined, intrinsic, kernel, record, several
from irrun_kernels.pixels import move
from irrun_kernels.product import Product, compute, multiply_part
from irrun_kernels.rows import total
from irrun_kernels.vectors import Vectors

DEPTH: Final = 512
"""Rows of a panel that are expanded at a time."""

_FORMS: Final = tuple(FORMS.values())

_VARIANTS: Final = tuple(product(range(len(_FORMS)), range(1, VECTORS + 1)))
"""The number of a form and the vectors of a panel."""

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
    if c.geometry.columns > 1:
        compute(c, task, workspace, _multiply_expanded)
        return
    panels = -(-c.filters // (c.cut.vectors * LANES))
    part, parts = task % c.cut.groups, c.cut.groups
    _multiply_row(c, panels * part // parts, panels * (part + 1) // parts, workspace)


@inlined
def _multiply_row(c: Any, begin: int, end: int, workspace: int) -> None:
    """Multiply a row with some panels, group by group."""
    codes, e, full = c.codes, c.epilogue, c.cut.vectors * LANES
    group = codes.group
    groups = c.panel_depth // group
    sums = floats(workspace, groups)
    for index in range(groups):
        sums[index] = total(floats(c.x.start + 4 * index * group, group)) if codes.zeros != 0 else 0
    results = workspace + 4 * groups
    for panel in range(begin, end):
        column = panel * full
        width = min(c.filters - column, full)
        vectors = -(-width // LANES)
        out = floats(results, vectors * LANES)
        fill(out, np.float32(0))
        for index in range(groups):
            place = 4 * (index * codes.padded + column)
            multiply_codes(
                (codes.form, vectors),
                codes.table,
                group * codes.bits // 32,
                c.x.start + 4 * index * group,
                c.panels + (column * c.panel_depth + index * group * vectors * LANES) * codes.bits // 8,
                (codes.scales + place, codes.zeros + place if codes.zeros != 0 else 0),
                sums[index],
                results,
            )
        result = e.out.start + 4 * column
        assign(floats(result, width), out[:width])
        summand = e.summand.start + 4 * column if e.summand.start != 0 else 0
        add_to_row(e, floats(result, width), column, summand)
        clip_row(e, floats(result, width))
        activate(e, result, 4 * width, 1, width, results)


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


@intrinsic("void", *several(2), *["int64"] * 4, *several(2), "float32", "int64")
def multiply_codes(
    v: Vectors, variant: Any, table: Any, words: Any, x: Any, codes: Any, sides: Any, sum: Any, out: Any
) -> None:
    """Add scale * (row * codes - zero * sum) to ``out``; ``codes`` are [words, vectors].

    ``variant`` is the number of a form and the vectors, ``sides`` are the addresses of scales, and of zeros or 0.
    """
    builder = v.builder
    scales, zeros = sides
    for number_of_form, width in v.variants(variant, _VARIANTS):
        form = _FORMS[number_of_form]
        size, numbers = form.bits, form.table(v, table)
        count = max(1, _SUMS // width)
        sums = [[v.variable(v.every(0.0)) for _ in range(width)] for _ in range(count)]
        with v.times(words) as loop:
            here = v.beyond(codes, loop, BYTES * width)
            row = v.beyond(x, loop, 128 // size)
            for j in range(width):
                v.prefetch(builder.add(here, v.constant(_AHEAD + BYTES * j)), 3)
            loaded = [v.load(here, j, type=v.words) for j in range(width)]
            for number in range(32 // size):
                value = v.splat(builder.load(v.pointer(row, 4 * number, v.float), align=4))
                for word, place in zip(loaded, sums[number % count], strict=True):
                    builder.store(
                        v.multiply_add(value, form.numbers(v, numbers, word, number), builder.load(place)), place
                    )
        for j in range(width):
            whole = builder.load(sums[0][j])
            for other in sums[1:]:
                whole = builder.fadd(whole, builder.load(other[j]))
            result = v.variable(whole)
            with builder.if_then(v.is_given(zeros)):
                builder.store(builder.fsub(whole, builder.fmul(v.load(zeros, j), v.splat(sum))), result)
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
