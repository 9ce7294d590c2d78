"""Products of matrices and convolutions: rows of the left factor by their addresses, times packed panels.

A convolution is a product without copies of windows: its rows are pixels, and for each tap of the kernel the pixel that
the tap meets, or zeros. A product of matrices is a convolution with one tap over an image of one row.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun.kernels.compiled.amx_product import configure_tiles, gather, release_tiles, tile_of
from irrun.kernels.compiled.functions import apply_to_rows, unary
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.micro import AS_BITS, multiply_taps, round_row
from irrun.kernels.compiled.native import floats, inlined, kernel, longs, record
from irrun.kernels.compiled.pixels import find_left, find_points, find_rows, move

_DEPTH: Final = 1024
"""Rows of a panel, or pairs, that are multiplied at a time: they stay in the second cache beside those on the left."""

_AHEAD: Final = 4096
"""Bytes that a product of one row fetches ahead in its panel."""

_WHOLE: Final = 512
"""Columns up to which all of them are still in the second cache when the last one has been computed."""


class Product(NamedTuple):
    """Arguments of `product`. Strides are in bytes, and for images, rows and pixels; 0 stands for no array.

    ``x`` is [images, height, width, depth], ``out`` and ``summand`` [images, rows, columns, filters]. ``zeros`` are
    ``depth`` of them. With ``halves``, ``x`` and panels hold bf16, and ``depth`` counts words of two. Columns of panels
    have ``panel_depth`` elements or words. Unless ``left_row`` is 0, tiles of AMX multiply: it is the distance of the
    rows of the left factor in the workspace. ``rounded`` is the result in bf16; where that is all, ``out`` is 0 and
    ``out_pixel`` that of a panel in the workspace. A task
    computes ``points`` of the result, for one of the ``groups`` of panels. Several products of equal sizes may follow
    each other: each has ``tasks`` tasks, and the fields that begin with ``next`` are the distances of its data from
    those of the previous one in bytes; summands have the distance of results.
    """

    x: int
    panels: int
    out: int
    columns: int
    width: int
    depth: int
    panel_depth: int
    filters: int
    x_pixel: int
    out_pixel: int
    tile_rows: int
    vectors: int
    points: int
    groups: int
    bias: int = 0
    summand: int = 0
    zeros: int = 0
    images: int = 1
    rows: int = 1
    height: int = 1
    x_image: int = 0
    x_row: int = 0
    out_image: int = 0
    out_row: int = 0
    summand_image: int = 0
    summand_row: int = 0
    summand_pixel: int = 0
    kernel_height: int = 1
    kernel_width: int = 1
    stride_height: int = 1
    stride_width: int = 1
    dilation_height: int = 1
    dilation_width: int = 1
    begin_height: int = 0
    begin_width: int = 0
    low: float = -np.inf
    high: float = np.inf
    halves: int = 0
    left_row: int = 0
    rounded: int = 0
    rounded_image: int = 0
    rounded_row: int = 0
    rounded_pixel: int = 0
    function: int = -1
    alpha: float = 0
    beta: float = 0
    tasks: int = 1 << 60
    next_x: int = 0
    next_panels: int = 0
    next_out: int = 0
    next_bias: int = 0


@kernel(Product)
def product(arguments: Any, task: int, workspace: int) -> None:
    """A block of points times a group of panels, with bias, summand and activation."""
    c = record(arguments)
    full = c.vectors * LANES
    panels = -(-c.filters // full)
    number, task = task // c.tasks, task % c.tasks
    first = task // c.groups * c.points
    last = min(first + c.points, c.images * c.rows * c.columns)
    group = task % c.groups
    taps = c.kernel_height * c.kernel_width
    tiles = -(-(last - first) // c.tile_rows)
    points = tiles * c.tile_rows
    left = workspace
    targets = left + 8 * points * taps
    added = targets + 8 * points
    rounded = added + 8 * points
    gathered = rounded + 8 * points
    sums = gathered + points * c.left_row
    free = sums if c.out != 0 else sums + points * c.out_pixel
    place = panels * group // c.groups
    stop = panels * (group + 1) // c.groups
    find_left(c, c.x + number * c.next_x, first, last, points, left)
    beside = number * c.next_out + 4 * place * full
    if c.out != 0:
        find_points(c, c.out + beside, c.out_image, c.out_row, c.out_pixel, first, last, points, targets)
    else:
        find_rows(sums, c.out_pixel, last - first, points, targets)
    if c.rounded != 0:
        start = c.rounded + beside // 2
        find_points(c, start, c.rounded_image, c.rounded_row, c.rounded_pixel, first, last, points, rounded)
    if c.summand != 0:
        strides = c.summand_image, c.summand_row, c.summand_pixel
        find_points(c, c.summand + beside, strides[0], strides[1], strides[2], first, last, points, added)
    if c.left_row != 0:
        gather(left, points, taps, c.depth, gathered, c.left_row)
        configure_tiles()
    # Rows that are whole, and neighbours, need not be put together for a function.
    is_whole = c.groups == 1 and c.filters <= _WHOLE and c.out != 0
    bias = c.bias + number * c.next_bias if c.bias != 0 else 0
    # A part of a product: some taps, or a part of the depth of one. Tiles multiply all of them.
    most = _DEPTH if c.left_row == 0 else taps * c.depth
    taps_each = min(taps, max(1, most // c.depth))
    depth_each = min(c.depth, most) if taps == 1 else c.depth
    rounds = max(-(-taps // taps_each), -(-c.depth // depth_each))
    while place < stop:
        column = place * full
        width = min(c.filters - column, full)
        vectors = -(-width // LANES)
        panel = c.panels + number * c.next_panels + 4 * column * c.panel_depth
        for step in range(rounds):
            taps_here = min(taps_each, taps - step * taps_each) if taps > 1 else 1
            depth = min(depth_each, c.depth - step * depth_each) if taps == 1 else c.depth
            is_first, is_last = step == 0, step == rounds - 1
            after = panel + 4 * vectors * LANES * taps_here * depth
            # Prefetch the next panel, a part of each of its rows with each tile.
            fetches = (tiles > 2 or c.left_row != 0) and not (is_last and place + 1 == stop)
            ahead_step = -(-4 * full // tiles) if fetches else 0
            begin = left + 8 * points * step * taps_each if taps > 1 else left
            is_rounded = c.rounded != 0 and is_last and c.function < 0
            is_stored = c.out != 0 or not is_rounded
            for tile in range(tiles):
                place_of_tile = 8 * tile * c.tile_rows
                summand = added + place_of_tile if c.summand != 0 else 0
                # The addresses of the rows of the left factor, or of the first one of a tile.
                here, left_tap = begin + place_of_tile, 8 * points
                if c.left_row != 0:
                    whole = gathered + tile * c.tile_rows * c.left_row
                    here, left_tap = tile_of(here, taps, c.depth, whole, c.left_row)
                multiply_taps(
                    c.tile_rows,
                    vectors,
                    c.halves,
                    taps_here if c.left_row == 0 else min(c.tile_rows, last - first - tile * c.tile_rows),
                    depth if c.left_row == 0 else c.panel_depth,
                    here,
                    left_tap,
                    panel,
                    4 * vectors * LANES,
                    bias + 4 * column if bias != 0 and is_first else 0,
                    targets + place_of_tile if is_stored else 0,
                    rounded + place_of_tile if is_rounded else 0,
                    summand if is_first else targets + place_of_tile,
                    width,
                    after + tile * ahead_step * taps_here * depth if ahead_step else panel + _AHEAD,
                    ahead_step if ahead_step or tiles > 1 else 4 * vectors * LANES,
                    np.float32(c.low) if is_last else np.float32(-np.inf),
                    np.float32(c.high) if is_last else np.float32(np.inf),
                )
            panel = after
            if rounds > 1 and taps == 1:
                move(left, points, 4 * depth if not is_last else 4 * depth - 4 * c.depth)
        if c.function >= 0 and not is_whole:
            apply_function(c, longs(targets, last - first), width, free)
            if c.rounded != 0:
                _round_rows(longs(targets, last - first), longs(rounded, last - first), width)
        if c.out != 0:
            move(targets, points, 4 * full)
        if c.rounded != 0:
            move(rounded, points, 2 * full)
        if c.summand != 0:
            move(added, points, 4 * full)
        place += 1
    if c.left_row != 0:
        release_tiles()
    if c.function >= 0 and is_whole:
        move(targets, points, -4 * full * panels)
        apply_function(c, longs(targets, last - first), c.filters, free)
        if c.rounded != 0:
            move(rounded, points, -2 * full * panels)
            _round_rows(longs(targets, last - first), longs(rounded, last - first), c.filters)


@inlined
def _round_rows(rows: Any, rounded: Any, width: int) -> None:
    for index in range(len(rows)):
        round_row(AS_BITS, rows[index], rounded[index], width)


@inlined
def apply_function(c: Any, targets: Any, width: int, workspace: int) -> None:
    """Replace what has been computed by a function of it."""
    alpha, beta = np.float32(c.alpha), np.float32(c.beta)
    count = len(targets)
    if targets[count - 1] - targets[0] == (count - 1) * c.out_pixel:
        apply_to_rows(c.function, targets[0], c.out_pixel, count, width, alpha, beta, workspace)
    else:
        for index in range(count):
            unary(c.function, floats(targets[index], width), alpha, beta)
