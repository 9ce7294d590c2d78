"""Products with weights of 8 bits, which become f32 a few rows of a panel at a time."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types

from irrun.kernels.compiled.functions import unary
from irrun.kernels.compiled.micro import multiply_tile
from irrun.kernels.compiled.native import floats, inlined, intrinsic, kernel, longs, record
from irrun.kernels.compiled.vectors import LANES, Vectors

DEPTH: Final = 128
"""Rows of a panel that are f32 at a time."""


class PackedProduct(NamedTuple):
    """Arguments of `packed_product`. Distances of rows are in bytes; 0 stands for no array.

    ``x`` is [points, depth], ``codes`` are panels of 8-bit integers, ``scales`` and ``zeros`` [groups of rows, padded
    columns]: the weights are (code - zero) * scale. ``bias`` is [filters], ``out`` and ``summand`` [points, filters].
    A task has ``points_per_task`` and one of so many ``parts`` of the panels.
    """

    x: int
    codes: int
    scales: int
    zeros: int
    bias: int
    out: int
    summand: int
    is_signed: int
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
    low: float
    high: float
    function: int
    alpha: float
    beta: float


@kernel(PackedProduct)
def packed_product(arguments: Any, task: int, workspace: int) -> None:
    """A block of points times a part of the panels."""
    c = record(arguments)
    full = c.vectors * LANES
    panels = -(-c.filters // full)
    first = task // c.parts * c.points_per_task
    last = min(first + c.points_per_task, c.points)
    tiles = -(-(last - first) // c.tile_rows)
    rows = tiles * c.tile_rows
    block = workspace
    lefts = longs(workspace + 4 * DEPTH * full, rows)
    targets = longs(workspace + 4 * DEPTH * full + 8 * rows, rows)
    added = longs(workspace + 4 * DEPTH * full + 16 * rows, rows)
    part = task % c.parts
    for panel in range(panels * part // c.parts, panels * (part + 1) // c.parts):
        column = panel * full
        width = min(c.filters - column, full)
        vectors = -(-width // LANES)
        padded = vectors * LANES
        for begin in range(0, c.depth, DEPTH):
            depth = min(DEPTH, c.depth - begin)
            _expand(
                c.codes + column * c.depth + begin * padded,
                c.is_signed,
                c.scales + 4 * column,
                c.zeros + 4 * column,
                begin,
                depth,
                c.group,
                4 * c.padded,
                padded,
                block,
            )
            for index in range(rows):
                row = min(first + index, last - 1)
                lefts[index] = c.x + row * c.x_row + 4 * begin
                targets[index] = c.out + row * c.out_row + 4 * column
                added[index] = targets[index]
                if begin == 0:
                    added[index] = c.summand + row * c.summand_row + 4 * column
            is_last = begin + DEPTH >= c.depth
            for tile in range(tiles):
                place = 8 * tile * c.tile_rows
                multiply_tile(
                    c.tile_rows,
                    vectors,
                    1,
                    depth,
                    workspace + 4 * DEPTH * full + place,
                    block,
                    4 * padded,
                    c.bias + 4 * column if c.bias != 0 and begin == 0 else 0,
                    workspace + 4 * DEPTH * full + 8 * rows + place,
                    workspace + 4 * DEPTH * full + 16 * rows + place if c.summand != 0 or begin > 0 else 0,
                    width,
                    block,
                    0,
                    np.float32(c.low) if is_last else np.float32(-np.inf),
                    np.float32(c.high) if is_last else np.float32(np.inf),
                )
        if c.function >= 0:
            for index in range(last - first):
                unary(c.function, floats(targets[index], width), np.float32(c.alpha), np.float32(c.beta))


@inlined
def _expand(
    codes: int,
    is_signed: int,
    scales: int,
    zeros: int,
    begin: int,
    depth: int,
    group: int,
    step: int,
    width: int,
    out: int,
) -> None:
    """Write rows of a panel as f32, those of one group at a time."""
    k = 0
    while k < depth:
        number = (begin + k) // group
        count = min(depth, (number + 1) * group - begin) - k
        place = number * step
        expand_codes(codes + k * width, is_signed, zeros + place, scales + place, out + 4 * k * width, count, width)
        k += count


@intrinsic
def expand_codes(
    typingctx: Any, codes: Any, is_signed: Any, zeros: Any, scales: Any, out: Any, rows: Any, width: Any
) -> Any:
    """Write (code - zero) * scale for rows of ``width`` codes, with a zero and a scale for each column."""

    def build(context: Any, builder: Any, _: Any, args: Any) -> Any:
        codes, is_signed, zeros, scales, out, rows, width = args
        v = Vectors(builder)
        word = ir.IntType(32)
        small, large = (ir.VectorType(type, LANES) for type in (ir.IntType(8), word))
        signed = builder.icmp_signed("!=", is_signed, v.constant(0))
        # The highest bit of a signed code, flipped, makes it an unsigned one that is 128 too large.
        flip = builder.select(signed, ir.Constant(ir.IntType(8), -128), ir.Constant(ir.IntType(8), 0))
        flips = v.spread(flip, small)
        excess = v.splat(builder.select(signed, ir.Constant(v.float, 128.0), ir.Constant(v.float, 0.0)))
        with v.times(builder.udiv(width, v.constant(LANES))) as columns:
            column = builder.mul(columns.index, v.constant(LANES))
            wide = builder.mul(column, v.constant(4))
            zero = builder.fadd(v.load(builder.add(zeros, wide)), excess)
            scale = v.load(builder.add(scales, wide))
            with v.times(rows) as row:
                place = builder.add(builder.mul(row.index, width), column)
                code = builder.load(v.pointer(builder.add(codes, place), 0, small), align=1)
                number = builder.uitofp(builder.zext(builder.xor(code, flips), large), v.vector)
                value = builder.fmul(builder.fsub(number, zero), scale)
                v.store(value, builder.add(out, builder.mul(place, v.constant(4))))
        return context.get_dummy_value()

    return types.void(*[types.int64] * 7), build
