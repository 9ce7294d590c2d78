"""Products with weights of 4 or 8 bits, which stay so in memory and become f32, or bf16, in registers."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir

from irrun.kernels.compiled.amx import ROWS
from irrun.kernels.compiled.amx_product import configure_tiles, gather, release_tiles, tile_of
from irrun.kernels.compiled.functions import add, assign, fill, unary
from irrun.kernels.compiled.host import BYTES, LANES
from irrun.kernels.compiled.micro import VECTORS, multiply_taps
from irrun.kernels.compiled.native import floats, inlined, intrinsic, kernel, longs, record
from irrun.kernels.compiled.rows import total
from irrun.kernels.compiled.vectors import Vectors

DEPTH: Final = 128
"""Rows of a panel that are expanded at a time."""

_VARIANTS: Final = tuple(product((4, 8), range(1, VECTORS + 1)))
"""The bits of a code and the vectors of a panel."""

_EXPANDED: Final = tuple((*variant, halves) for halves in (0, 1) for variant in _VARIANTS)
"""The variants of panels, for f32 and for words of two bf16."""

_AHEAD: Final = 2048
"""Bytes that are fetched ahead."""

_SUMS: Final = 8
"""Independent sums that are accumulated in parallel, since each addition waits for the previous one."""


class PackedProduct(NamedTuple):
    """Arguments of `packed_product`. Distances of rows are in bytes; 0 stands for no array.

    ``x`` is [points, depth], ``codes`` are panels of words (see `words_of`), ``scales`` and ``zeros`` [groups of rows,
    padded columns]: the weights are (code - zero) * scale. ``bias`` is [filters], ``out`` and ``summand`` [points,
    filters]. With ``halves``, ``x`` and expanded weights are bf16; one point has f32 always. A group has a whole number
    of words. Unless ``left_row`` is 0, tiles of AMX multiply: it is the distance of the rows of ``x`` in the workspace.
    A task has ``points_per_task`` and one of so many ``parts`` of the panels.
    """

    x: int
    codes: int
    scales: int
    zeros: int
    bias: int
    out: int
    summand: int
    bits: int
    points: int
    depth: int
    filters: int
    padded: int
    group: int
    x_row: int
    out_row: int
    summand_row: int
    tile_rows: int
    vectors: int
    points_per_task: int
    parts: int
    halves: int
    left_row: int
    low: float
    high: float
    function: int
    alpha: float
    beta: float


@kernel(PackedProduct)
def packed_product(arguments: Any, task: int, workspace: int) -> None:
    """A block of points times a part of the panels."""
    c = record(arguments)
    panels = -(-c.filters // (c.vectors * LANES))
    part = task % c.parts
    begin, end = panels * part // c.parts, panels * (part + 1) // c.parts
    if c.points == 1:
        _multiply_row(c, begin, end, workspace)
    else:
        _multiply_rows(c, task // c.parts * c.points_per_task, begin, end, workspace)


@inlined
def _multiply_row(c: Any, begin: int, end: int, workspace: int) -> None:
    """Multiply a row with some panels, group by group."""
    groups = c.depth // c.group
    sums = floats(workspace, groups)
    for group in range(groups):
        sums[group] = total(floats(c.x + 4 * group * c.group, c.group)) if c.zeros != 0 else 0
    words = c.group * c.bits // 32
    results = workspace + 4 * groups
    for panel in range(begin, end):
        column = panel * c.vectors * LANES
        width = min(c.filters - column, c.vectors * LANES)
        vectors = -(-width // LANES)
        out = floats(results, vectors * LANES)
        fill(out, np.float32(0))
        if c.bias != 0:
            add(out[:width], floats(c.bias + 4 * column, width))
        for group in range(groups):
            place = 4 * (group * c.padded + column)
            multiply_codes(
                c.bits,
                vectors,
                words,
                c.x + 4 * group * c.group,
                c.codes + (column * c.depth + group * c.group * vectors * LANES) * c.bits // 8,
                c.scales + place,
                c.zeros + place if c.zeros != 0 else 0,
                sums[group],
                results,
            )
        result = floats(c.out + 4 * column, width)
        assign(result, out[:width])
        if c.summand != 0:
            add(result, floats(c.summand + 4 * column, width))
        unary(0, result, np.float32(c.low), np.float32(c.high))
        if c.function >= 0:
            unary(c.function, result, np.float32(c.alpha), np.float32(c.beta))


@inlined
def _multiply_rows(c: Any, first: int, begin: int, end: int, workspace: int) -> None:
    """Some rows times some panels, `DEPTH` rows of which become f32 at a time."""
    full = c.vectors * LANES
    last = min(first + c.points_per_task, c.points)
    tiles = -(-(last - first) // c.tile_rows)
    rows = tiles * c.tile_rows
    block = workspace
    lefts = longs(workspace + 4 * DEPTH * full, rows)
    targets = longs(workspace + 4 * DEPTH * full + 8 * rows, rows)
    added = longs(workspace + 4 * DEPTH * full + 16 * rows, rows)
    gathered = workspace + 4 * DEPTH * full + 24 * rows
    if c.left_row != 0:
        for index in range(rows):
            lefts[index] = c.x + min(first + index, last - 1) * c.x_row
        gather(workspace + 4 * DEPTH * full, rows, 1, c.depth // 2, gathered, c.left_row)
        configure_tiles()
    for panel in range(begin, end):
        column = panel * full
        width = min(c.filters - column, full)
        vectors = -(-width // LANES)
        padded = vectors * LANES
        for top in range(0, c.depth, DEPTH):
            depth = min(DEPTH, c.depth - top)
            _expand(c, column, padded, top, depth, block)
            size = 2 if c.halves != 0 else 4
            for index in range(rows):
                row = min(first + index, last - 1)
                lefts[index] = c.x + row * c.x_row + size * top
                targets[index] = c.out + row * c.out_row + 4 * column
                added[index] = targets[index]
                if top == 0:
                    added[index] = c.summand + row * c.summand_row + 4 * column
            is_last = top + DEPTH >= c.depth
            words = depth * size // 4
            if c.left_row != 0:
                whole = -(-words // ROWS) * ROWS
                fill(floats(block + 4 * words * padded, (whole - words) * padded), np.float32(0))
                words = whole
            for tile in range(tiles):
                place = 8 * tile * c.tile_rows
                left, left_row = workspace + 4 * DEPTH * full + place, 0
                if c.left_row != 0:
                    there = gathered + size * top + tile * c.tile_rows * c.left_row
                    left, left_row = tile_of(left, 1, c.depth // 2, there, c.left_row)
                multiply_taps(
                    c.tile_rows,
                    vectors,
                    c.halves,
                    1 if c.left_row == 0 else min(c.tile_rows, last - first - tile * c.tile_rows),
                    words,
                    left,
                    left_row,
                    block,
                    4 * padded,
                    c.bias + 4 * column if c.bias != 0 and top == 0 else 0,
                    workspace + 4 * DEPTH * full + 8 * rows + place,
                    0,
                    workspace + 4 * DEPTH * full + 16 * rows + place if c.summand != 0 or top > 0 else 0,
                    width,
                    block,
                    0,
                    np.float32(c.low) if is_last else np.float32(-np.inf),
                    np.float32(c.high) if is_last else np.float32(np.inf),
                )
        if c.function >= 0:
            for index in range(last - first):
                unary(c.function, floats(targets[index], width), np.float32(c.alpha), np.float32(c.beta))
    if c.left_row != 0:
        release_tiles()


@inlined
def _expand(c: Any, column: int, width: int, top: int, depth: int, out: int) -> None:
    """Write rows of a panel as f32 or pairs of bf16, those of one group at a time."""
    k = top
    while k < top + depth:
        count = min(top + depth, (k // c.group + 1) * c.group) - k
        place = 4 * (k // c.group * c.padded + column)
        codes = c.codes + (column * c.depth + k * width) * c.bits // 8
        zeros = c.zeros + place if c.zeros != 0 else 0
        expand_codes(c.bits, width // LANES, c.halves, count * c.bits // 32, codes, c.scales + place, zeros, out)
        out += (2 if c.halves != 0 else 4) * count * width
        k += count


def _code(v: Vectors, words: Any, number: int, bits: int) -> Any:
    """Convert one code of each word to f32."""
    builder = v.builder
    wide = ir.VectorType(ir.IntType(32), LANES)
    above = 32 - bits * (number + 1)
    shifted = builder.shl(words, ir.Constant(wide, [above] * LANES)) if above else words
    return builder.sitofp(builder.ashr(shifted, ir.Constant(wide, [32 - bits] * LANES)), v.vector)


@intrinsic("void", *["int64"] * 7, "float32", "int64")
def multiply_codes(
    v: Vectors,
    bits: Any,
    vectors: Any,
    words: Any,
    x: Any,
    codes: Any,
    scales: Any,
    zeros: Any,
    sum: Any,
    out: Any,
) -> None:
    """Add scale * (row * codes - zero * sum) to ``vectors`` vectors; ``codes`` are [words, vectors]."""
    builder = v.builder
    for size, width in v.variants((bits, vectors), _VARIANTS):
        wide = ir.VectorType(ir.IntType(32), LANES)
        count = max(1, _SUMS // width)
        sums = [[v.variable(v.every(0.0)) for _ in range(width)] for _ in range(count)]
        with v.times(words) as loop:
            here = builder.add(codes, builder.mul(loop.index, v.constant(BYTES * width)))
            row = builder.add(x, builder.mul(loop.index, v.constant(128 // size)))
            for j in range(width):
                v.prefetch(builder.add(here, v.constant(_AHEAD + BYTES * j)), 3)
            loaded = [builder.load(v.pointer(here, BYTES * j, wide), align=4) for j in range(width)]
            for number in range(32 // size):
                value = v.splat(builder.load(v.pointer(row, 4 * number, v.float), align=4))
                for word, place in zip(loaded, sums[number % count], strict=True):
                    builder.store(v.multiply_add(value, _code(v, word, number, size), builder.load(place)), place)
        for j in range(width):
            whole = builder.load(sums[0][j])
            for other in sums[1:]:
                whole = builder.fadd(whole, builder.load(other[j]))
            result = v.variable(whole)
            with builder.if_then(v.is_given(zeros)):
                builder.store(builder.fsub(whole, builder.fmul(v.load(zeros, j), v.splat(sum))), result)
            v.store(v.multiply_add(v.load(scales, j), builder.load(result), v.load(out, j)), out, j)


@intrinsic("void", *["int64"] * 8)
def expand_codes(
    v: Vectors, bits: Any, vectors: Any, halves: Any, words: Any, codes: Any, scales: Any, zeros: Any, out: Any
) -> None:
    """Write (code - zero) * scale for rows of a panel, with a scale and a zero for each column; ``zeros`` may be 0.

    With ``halves``, each two rows become words of bf16.
    """
    builder = v.builder
    for size, width, is_half in v.variants((bits, vectors, halves), _EXPANDED):
        wide = ir.VectorType(ir.IntType(32), LANES)
        each = 32 // size
        step = 2 if is_half else 1
        scale = [v.load(scales, j) for j in range(width)]
        starts = [v.variable(v.every(0.0)) for _ in range(width)]
        with builder.if_then(v.is_given(zeros)):
            for j, start in enumerate(starts):
                builder.store(v.load(zeros, j), start)
        zero = [builder.load(start) for start in starts]
        with v.times(words) as loop:
            here = builder.add(codes, builder.mul(loop.index, v.constant(BYTES * width)))
            place = builder.add(out, builder.mul(loop.index, v.constant(BYTES * width * each // step)))
            for j in range(width):
                loaded = builder.load(v.pointer(here, BYTES * j, wide), align=4)
                values = [
                    builder.fmul(builder.fsub(_code(v, loaded, number, size), zero[j]), scale[j])
                    for number in range(each)
                ]
                if is_half:
                    values = [v.paired(*pair) for pair in zip(values[::2], values[1::2], strict=True)]
                for number, value in enumerate(values):
                    v.store(value, place, number * width + j)
