"""Products of rows that are rounded to bytes on the way, and weights that are stored in 4 or 8 bits."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels import ir
from irrun_kernels.epilogue import add_and_clip, listed, masks_of
from irrun_kernels.functions import fill
from irrun_kernels.host import BYTES, LANES
from irrun_kernels.micro import VARIANTS, VECTORS, accumulate
from irrun_kernels.native import (
    Address,
    Read,
    Write,
    floats,
    inlined,
    intrinsic,
    kernel,
    longs,
    octets,
    record,
    several,
    strict,
)
from irrun_kernels.pixels import find_rows, move
from irrun_kernels.product import Product, compute
from irrun_kernels.vectors import Vectors

MIDDLE: Final = 128
"""The byte that stands for 0."""

_MOST: Final = np.float32(127)
_LARGEST: Final = np.float32(np.finfo(np.float32).max)


class Quantize(NamedTuple):
    """Arguments of `quantize_rows`. ``x`` is [points, depth] with ``x_row`` bytes between rows.

    ``codes`` are bytes without sign [points, depth]. With ``bits`` of 4, those of each eight elements are in the order
    of `expand_nibbles`. ``sides`` are [points, parts, 2]: the scale and the sum of the levels of each ``part``
    elements, where ``group`` of them have a common scale.
    """

    x: Read[Address]
    codes: Write[Address]
    sides: Write[Address]
    points: int
    depth: int
    x_row: int
    group: int
    part: int
    bits: int
    rows_per_task: int


@kernel(Quantize)
def quantize_rows(arguments: Any, task: int, workspace: int) -> None:
    """Round rows to bytes."""
    c = record(arguments)
    parts = c.depth // c.part
    for point in range(task * c.rows_per_task, min(c.points, (task + 1) * c.rows_per_task)):
        sides = floats(c.sides + 8 * point * parts, 2 * parts)
        for first in range(0, c.depth, c.group):
            size = min(c.group, c.depth - first)
            x = floats(c.x + point * c.x_row + 4 * first, size)
            peak = _peak(x)
            scale, inverse = np.float32(np.nan), np.float32(0)
            if peak <= _LARGEST:
                scale = peak / _MOST
                inverse = _MOST / peak if peak > 0 else np.float32(0)
            for begin in range(0, size, c.part):
                codes = octets(c.codes + point * c.depth + first + begin, c.part)
                side = (first + begin) // c.part
                sides[2 * side] = scale
                within = x[begin : begin + c.part]
                sides[2 * side + 1] = _round(within, inverse, codes) if peak <= _LARGEST else _clear(codes)
                if c.bits == 4:
                    _reorder(codes)


@inlined
def _peak(x: Any) -> Any:
    """The largest magnitude; infinite if there is an element that is not finite."""
    result, is_finite = np.float32(0), True
    for i in range(len(x)):
        magnitude = abs(x[i])
        result = magnitude if magnitude > result else result
        is_finite = is_finite and magnitude <= _LARGEST
    return result if is_finite else np.float32(np.inf)


@inlined
def _round(x: Any, inverse: Any, codes: Any) -> Any:
    """Write the levels of some elements; returns their sum."""
    total = 0
    for i in range(len(x)):
        level = int(min(max(np.rint(x[i] * inverse), -_MOST), _MOST))
        codes[i] = np.uint8(level + MIDDLE)
        total += level
    return np.float32(total)


@inlined
def _clear(codes: Any) -> Any:
    codes[:] = MIDDLE
    return np.float32(0)


@inlined
def _reorder(codes: Any) -> None:
    """Put the even bytes of each eight first."""
    for i in range(0, len(codes), 8):
        a, b, c, d, e, f = codes[i + 1], codes[i + 2], codes[i + 3], codes[i + 4], codes[i + 5], codes[i + 6]
        codes[i + 1], codes[i + 2], codes[i + 3], codes[i + 4], codes[i + 5], codes[i + 6] = b, d, f, a, c, e


@kernel(Product)
def dynamic_product(arguments: Any, task: int, workspace: int) -> None:
    """A block of points, which were rounded to bytes, times a part of the panels of codes."""
    compute(record(arguments), task, workspace, _multiply_parts)


@strict
def _multiply_parts(c: Any, block: Any, place: int, width: int, is_last_panel: bool) -> None:
    """Multiply the rows of a block with a panel, part by part; workspace holds addresses, and a part of the panel."""
    cut, codes, e = c.cut, c.codes, c.epilogue
    column = place * cut.vectors * LANES
    vectors = -(-width // LANES)
    parts = c.panel_depth // codes.part
    sides, expanded = block.free, block.free + 8 * block.rows
    find_rows(codes.sides + 8 * block.first * parts, 8 * parts, block.points, block.rows, sides)
    outs, summands = longs(block.results.out, block.points), longs(block.results.summand, block.points)
    for index in range(block.points):
        fill(floats(outs[index], width), np.float32(0))
    for part in range(parts):
        panel = c.panels + (column * c.panel_depth + part * codes.part * vectors * LANES) * codes.bits // 8
        if codes.bits == 4:
            expand_nibbles(vectors, codes.part // 8, panel, expanded)
            panel = expanded
        side = 4 * (part * codes.part // codes.group * codes.padded + column)
        for tile in range(0, block.rows, cut.rows):
            multiply_levels(
                (cut.rows, vectors),
                codes.part // 4,
                block.left + 8 * tile,
                panel,
                (codes.starts + 4 * (part * codes.padded + column), codes.scales + side, codes.zeros + side),
                sides + 8 * tile,
                block.results.out + 8 * tile,
                width,
                min(cut.rows, block.points - tile),
            )
        move(block.left, block.rows, codes.part)
        move(sides, block.rows, 8)
    move(block.left, block.rows, -c.panel_depth)
    for index in range(block.points):
        add_and_clip(e, floats(outs[index], width), column, summands[index] if e.summand.start != 0 else 0)


@intrinsic("void", *several(2), *["int64"] * 3, *several(3), *["int64"] * 4)
def multiply_levels(
    v: Vectors,
    variant: Any,
    words: Any,
    left: Any,
    panel: Any,
    columns_of: Any,
    sides: Any,
    out: Any,
    columns: Any,
    written: Any,
) -> None:
    """Add (sum of products - zero * sum of a row) * (scale of the row * scale of the column) to a tile of a result.

    ``variant`` is one of `VARIANTS`, ``columns_of`` are the addresses of starts, scales and zeros. ``left``, ``sides``
    and ``out`` are addresses of the addresses of rows; ``written`` of those are stored.
    """
    builder = v.builder
    none, (starts, scales, zeros) = v.constant(0), columns_of
    for count, width in v.variants(variant, VARIANTS):
        first = [v.load(starts, j, type=v.words) for j in range(width)]
        sums = [[v.variable(start) for start in first] for _ in range(count)]
        step = v.constant(BYTES * width)
        extent, nothing_ahead = (v.constant(1), words), (panel, none)
        accumulate(v, v.multiply_bytes, v.words, sums, extent, (left, none), (panel, step), nothing_ahead)
        masks = masks_of(v, columns, width)
        scale, zero = ([v.load(row, j) for j in range(width)] for row in (scales, zeros))
        of_rows, targets = listed(v, sides), listed(v, out)
        for i, row in enumerate(sums):
            with builder.if_then(builder.icmp_signed("<", v.constant(i), written)):
                side, target = of_rows.row(i), targets.row(i)
                factor, total = (v.splat(builder.load(v.pointer(side, place, v.float), align=4)) for place in (0, 4))
                for j, place in enumerate(row):
                    value = builder.sitofp(builder.load(place), v.vector)
                    value = builder.fsub(value, builder.fmul(total, zero[j]))
                    value = builder.fmul(value, builder.fmul(factor, scale[j]))
                    v.store(builder.fadd(v.load(target, j, masks[j]), value), target, j, masks[j])


@intrinsic("void", *["int64"] * 4)
def expand_nibbles(v: Vectors, vectors: Any, words: Any, codes: Any, out: Any) -> None:
    """Make two rows of words of bytes of each row of words of codes of 4 bits: of the even codes, and of the odd."""
    builder = v.builder
    octets = ir.VectorType(ir.IntType(8), BYTES)
    low, sign, four = (ir.Constant(octets, [value] * BYTES) for value in (15, 8, 4))
    for (width,) in v.variants((vectors,), tuple((count,) for count in range(1, VECTORS + 1))):
        with v.times(words) as loop:
            here = v.beyond(codes, loop, BYTES * width)
            place = v.beyond(out, loop, 2 * BYTES * width)
            for j in range(width):
                both = builder.bitcast(v.load(here, j, type=v.words), octets)
                for number, half in enumerate((builder.and_(both, low), builder.lshr(both, four))):
                    signed = builder.sub(builder.xor(half, sign), sign)
                    v.store(builder.bitcast(signed, v.words), place, number * width + j)
