"""Products of matrices and convolutions: rows of the left factor by their addresses, times packed panels.

A convolution is a product without copies of windows: its rows are pixels, and for each tap of the kernel the pixel that
the tap meets, or zeros. A product of matrices is a convolution with one tap over an image of one row.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.compiled.amx_product import configure_tiles, gather, release_tiles, tile_of
from irrun.kernels.compiled.bytes import Requantization, multiply_bytes, quantize_row
from irrun.kernels.compiled.functions import End, apply_to_rows, unary
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.micro import AS_BITS, multiply_taps, round_row
from irrun.kernels.compiled.native import floats, inlined, kernel, longs, record
from irrun.kernels.compiled.pixels import Geometry, Images, find_left, find_points, find_rows, move
from irrun.kernels.compiled.tiling import Tiling

_DEPTH: Final = 1024
"""Rows of a panel, or pairs, that are multiplied at a time: they stay in the second cache beside those on the left."""

_AHEAD: Final = 4096
"""Bytes that a product of one row fetches ahead in its panel."""

_WHOLE: Final = 512
"""Columns up to which all of them are still in the second cache when the last one has been computed."""


class Product(NamedTuple):
    """Arguments of `product` and `integer_product`.

    ``x`` has pixels of ``depth`` f32, or words of two bf16 (with ``halves``) or four bytes; ``zeros`` is the address of
    one of zeros. ``panels`` are packed weights, whose columns have ``panel_depth`` elements or words. ``out``,
    ``narrow`` and ``summand`` have pixels of ``filters``: f32, the result in bf16 or as bytes, and what is added.
    Where there is no ``out``, its pixels are those of a panel in the workspace.

    A task computes some points of the result for some of the panels, as ``cut`` says. Several products of equal sizes
    may follow each other: the fields that begin with ``next`` are the distances of their data, in elements of results,
    else in bytes.
    """

    x: Images
    panels: int
    geometry: Geometry
    cut: Tiling
    depth: int
    panel_depth: int
    filters: int
    out: Images = Images()
    narrow: Images = Images()
    summand: Images = Images()
    zeros: int = 0
    bias: int = 0
    halves: int = 0
    end: End = End()
    next_x: int = 0
    next_panels: int = 0
    next_out: int = 0
    next_bias: int = 0
    integers: Requantization = Requantization()


class Block(NamedTuple):
    """The part of a product that a task computes: the number of the product, and ``count`` points in whole tiles.

    The others are addresses in the workspace: of the addresses of rows, and of rows that were gathered for AMX.
    """

    number: int
    count: int
    tiles: int
    points: int
    taps: int
    left: int
    out: int
    narrow: int
    summand: int
    gathered: int


@kernel(Product)
def product(arguments: Any, task: int, workspace: int) -> None:
    """A block of points times a group of panels, with bias, summand and activation."""
    _compute(record(arguments), 2, 4, task, workspace, _multiply_floats, make_halves)


@kernel(Product)
def integer_product(arguments: Any, task: int, workspace: int) -> None:
    """A product of bytes, with factors, biases, summand, bounds and rounding."""
    c = record(arguments)
    _compute(c, 1, c.integers.summand_size, task, workspace, _multiply_bytes, make_bytes)


@inlined
def _compute(
    c: Any, narrow_size: int, summand_size: int, task: int, workspace: int, multiply: Any, make_narrow: Any
) -> None:
    """Compute a task: ``multiply`` a panel, then apply a function and ``make_narrow`` its results, row by row."""
    g, cut = c.geometry, c.cut
    full = cut.vectors * LANES
    panels = -(-c.filters // full)
    number, task = task // cut.tasks, task % cut.tasks
    first, group = task // cut.groups * cut.points, task % cut.groups
    count = min(cut.points, g.images * g.rows * g.columns - first)
    taps = g.kernel_height * g.kernel_width
    tiles = -(-count // cut.rows)
    points = tiles * cut.rows
    left = workspace
    out = left + 8 * points * taps
    narrow, summand, gathered = out + 8 * points, out + 16 * points, out + 24 * points
    sums = gathered + points * cut.left_row
    free = sums if c.out.start != 0 else sums + points * c.out.pixel
    place, stop = panels * group // cut.groups, panels * (group + 1) // cut.groups
    column = number * c.next_out + place * full
    find_left(g, c.x, number * c.next_x, c.zeros, first, count, points, left)
    if c.out.start != 0:
        find_points(g, c.out, 4 * column, first, count, points, out)
    else:
        find_rows(sums, c.out.pixel, count, points, out)
    if c.narrow.start != 0:
        find_points(g, c.narrow, narrow_size * column, first, count, points, narrow)
    if c.summand.start != 0:
        find_points(g, c.summand, summand_size * column, first, count, points, summand)
    if cut.left_row != 0:
        gather(left, points, taps, c.depth, gathered, cut.left_row)
        configure_tiles()
    # Rows that are whole, and neighbours, need not be put together for a function.
    is_whole = cut.groups == 1 and c.filters <= _WHOLE and c.out.start != 0
    block = Block(number, count, tiles, points, taps, left, out, narrow, summand, gathered)
    for panel in range(place, stop):
        width = min(c.filters - panel * full, full)
        multiply(c, block, panel, width, panel + 1 == stop)
        if c.end.function >= 0 and not is_whole:
            _finish(c, block, width, free, make_narrow)
        if c.out.start != 0:
            move(out, points, 4 * full)
        if c.narrow.start != 0:
            move(narrow, points, narrow_size * full)
        if c.summand.start != 0:
            move(summand, points, summand_size * full)
    if cut.left_row != 0:
        release_tiles()
    if c.end.function >= 0 and is_whole:
        move(out, points, -4 * full * panels)
        move(narrow, points, -narrow_size * full * panels)
        _finish(c, block, c.filters, free, make_narrow)


@inlined
def _finish(c: Any, block: Any, width: int, workspace: int, make_narrow: Any) -> None:
    """Replace what has been computed by a function of it."""
    end, count = c.end, block.count
    alpha, beta = np.float32(end.alpha), np.float32(end.beta)
    rows, narrow = longs(block.out, count), longs(block.narrow, count)
    if rows[count - 1] - rows[0] == (count - 1) * c.out.pixel:
        apply_to_rows(end.function, rows[0], c.out.pixel, count, width, alpha, beta, workspace)
    else:
        for index in range(count):
            unary(end.function, floats(rows[index], width), alpha, beta)
    if c.narrow.start != 0:
        for index in range(count):
            make_narrow(c, rows[index], narrow[index], width)


@inlined
def make_halves(c: Any, row: int, narrow: int, width: int) -> None:
    """Write a row in bf16."""
    round_row(AS_BITS, row, narrow, width)


@inlined
def make_bytes(c: Any, row: int, narrow: int, width: int) -> None:
    """Write the levels of a row."""
    levels = c.integers
    quantize_row(row, narrow, width, np.float32(levels.low), np.float32(levels.high), np.float32(levels.most))


@inlined
def _multiply_floats(c: Any, block: Any, place: int, width: int, is_last_panel: bool) -> None:
    """Multiply the rows of a block with a panel of f32 or bf16."""
    cut, taps, tiles = c.cut, block.taps, block.tiles
    column = place * cut.vectors * LANES
    vectors = -(-width // LANES)
    step = 4 * vectors * LANES
    panel = c.panels + block.number * c.next_panels + 4 * column * c.panel_depth
    bias = c.bias + block.number * c.next_bias + 4 * column if c.bias != 0 else 0
    # A part of a product: some taps, or a part of the depth of one. Tiles of AMX multiply all of them.
    most = _DEPTH if cut.left_row == 0 else taps * c.depth
    taps_each = min(taps, max(1, most // c.depth))
    depth_each = min(c.depth, most) if taps == 1 else c.depth
    rounds = max(-(-taps // taps_each), -(-c.depth // depth_each))
    for number in range(rounds):
        taps_here = min(taps_each, taps - number * taps_each) if taps > 1 else 1
        depth = min(depth_each, c.depth - number * depth_each) if taps == 1 else c.depth
        is_first, is_last = number == 0, number == rounds - 1
        after = panel + step * taps_here * depth
        # Prefetch the next panel, a part of each of its rows with each tile.
        fetches = (tiles > 2 or cut.left_row != 0) and not (is_last and is_last_panel)
        ahead_step = -(-4 * cut.vectors * LANES // tiles) if fetches else 0
        left = block.left + 8 * block.points * number * taps_each if taps > 1 else block.left
        is_rounded = c.narrow.start != 0 and is_last and c.end.function < 0
        is_stored = c.out.start != 0 or not is_rounded
        for tile in range(tiles):
            first = tile * cut.rows
            summand = block.summand + 8 * first if c.summand.start != 0 else 0
            here, left_tap = tile_of(
                left + 8 * first, 8 * block.points, taps, c.depth, block.gathered + first * cut.left_row, cut.left_row
            )
            multiply_taps(
                cut.rows,
                vectors,
                c.halves,
                taps_here if cut.left_row == 0 else min(cut.rows, block.count - first),
                depth if cut.left_row == 0 else c.panel_depth,
                here,
                left_tap,
                panel,
                step,
                bias if is_first else 0,
                block.out + 8 * first if is_stored else 0,
                block.narrow + 8 * first if is_rounded else 0,
                summand if is_first else block.out + 8 * first,
                width,
                after + tile * ahead_step * taps_here * depth if ahead_step else panel + _AHEAD,
                ahead_step if ahead_step or tiles > 1 else step,
                np.float32(c.end.low) if is_last else np.float32(-np.inf),
                np.float32(c.end.high) if is_last else np.float32(np.inf),
            )
        panel = after
        if rounds > 1 and taps == 1:
            move(block.left, block.points, 4 * depth if not is_last else 4 * depth - 4 * c.depth)


@inlined
def _multiply_bytes(c: Any, block: Any, place: int, width: int, is_last_panel: bool) -> None:
    """Multiply the rows of a block with a panel of bytes."""
    cut, sides = c.cut, c.integers
    column = place * cut.vectors * LANES
    row = 4 * (block.number * sides.padded + column)
    panel = c.panels + block.number * c.next_panels + 4 * column * c.panel_depth
    for tile in range(block.tiles):
        first = tile * cut.rows
        summand = block.summand + 8 * first if c.summand.start != 0 else 0
        here, left_tap = tile_of(
            block.left + 8 * first,
            8 * block.points,
            block.taps,
            c.depth,
            block.gathered + first * cut.left_row,
            cut.left_row,
        )
        multiply_bytes(
            cut.rows,
            -(-width // LANES),
            block.taps if cut.left_row == 0 else min(cut.rows, block.count - first),
            c.depth if cut.left_row == 0 else c.panel_depth,
            here,
            left_tap,
            panel,
            panel,
            0,
            sides.starts + row,
            sides.factors + row,
            sides.biases + row,
            width,
            sides.numbers,
            summand if sides.summand_size == 4 else 0,
            summand if sides.summand_size == 1 else 0,
            block.out + 8 * first if c.out.start != 0 or c.end.function >= 0 else 0,
            block.narrow + 8 * first if c.narrow.start != 0 and c.end.function < 0 else 0,
        )
