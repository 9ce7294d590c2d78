"""Products of matrices and convolutions: rows of the left factor by their addresses, times packed panels.

A convolution is a product without copies of windows: its rows are pixels, and for each tap of the kernel the pixel that
the tap meets, or zeros. A product of matrices is a convolution with one tap over an image of one row.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.amx_product import configure_tiles, gather, release_tiles, tile_of
from irrun_kernels.epilogue import Epilogue, Rows, activate_points, find_results, move_results
from irrun_kernels.host import LANES
from irrun_kernels.micro import PANEL, multiply_bytes, multiply_taps
from irrun_kernels.native import NOWHERE, Address, Read, inlined, kernel, record
from irrun_kernels.pixels import Images, ImageWindows, find_left, move, moved, points_of, taps_of
from irrun_kernels.tiling import Tiling

_DEPTH: Final = (24 << 10) // (4 * PANEL)
"""Rows of a panel, or pairs, that are multiplied at a time: all tiles read these 24 KiB from the nearest cache."""

_FEW_TILES: Final = 2
"""Tiles up to which a panel is read from farther away: all of its rows are multiplied at a time."""

_AHEAD: Final = 4096
"""Bytes that a product of one row fetches ahead in its panel."""

_WHOLE: Final = 512
"""Columns up to which all of them are still in the L2 cache when the last one has been computed."""


class Codes(NamedTuple):
    """The layout of panels of weights of few ``bits``, in words of several codes (see `words_of`).

    Codes become numbers as the form with the number ``form`` says (see `FORMS`), some by the 16 f32 at ``table``.
    ``scales`` and ``zeros`` are [groups, padded columns]: weights are (number - zero) * scale. A group of rows has
    ``group`` of them, in whole words.

    For rows that were rounded to bytes, a group is one or more parts of ``part`` rows: ``sides`` are [points, parts,
    2] as `quantize_rows` writes them, ``starts`` what sums begin with, words [parts, padded columns].
    """

    bits: int = 0
    scales: Read[Address] = NOWHERE
    zeros: Read[Address] = NOWHERE
    padded: int = 0
    group: int = 0
    part: int = 0
    sides: Read[Address] = NOWHERE
    starts: Read[Address] = NOWHERE
    form: int = 0
    table: Read[Address] = NOWHERE


class Product(NamedTuple):
    """Arguments of `product`, `integer_product`, `packed_product` and `dynamic_product`.

    ``x`` has pixels of ``depth`` f32, or words of two bf16 (with ``bf16``) or four bytes; ``zeros`` is the address of
    the pixel outside of images. ``panels`` are packed weights, whose columns have ``panel_depth`` of these, or codes;
    `product` without tiles of AMX multiplies those from ``first_row`` on.
    The results have pixels of ``filters``; those in the workspace are as wide as a panel.

    A task computes some points for some panels, as ``cut`` says. Several products of equal sizes may follow each other:
    ``next_out`` elements of results, and ``next_x``, ``next_panels`` and ``next_bias`` bytes further.
    """

    x: Read[Images]
    panels: Read[Address]
    geometry: ImageWindows
    cut: Tiling
    depth: int
    panel_depth: int
    filters: int
    zeros: Read[Address] = NOWHERE
    bf16: int = 0
    epilogue: Epilogue = Epilogue()
    next_x: int = 0
    next_panels: int = 0
    next_out: int = 0
    next_bias: int = 0
    first_row: int = 0
    codes: Codes = Codes()


def plain_product(
    x: Address, panels: Address, out: Address, points: Any, depth: int, filters: int, cut: Tiling
) -> Product:
    """Rows of ``depth`` f32 times a matrix, neither of which has gaps, as have the results."""
    sizes, end = (1, 1, points), Epilogue(out=Images(out, pixel=4 * filters))
    geometry = ImageWindows(counts=sizes, sizes=sizes)
    return Product(Images(x, pixel=4 * depth), panels, geometry, cut, depth, depth, filters, epilogue=end)


class Block(NamedTuple):
    """The part of a product that a task computes: the number of the product, and some of its points.

    Points in whole tiles are ``rows``. The others are places in the workspace: addresses of rows, also of results, rows
    that were gathered for AMX, and what is free.
    """

    number: int
    first: int
    points: int
    rows: int
    taps: int
    left: int
    results: Rows
    gathered: int
    free: int


@kernel(Product)
def product(arguments: Any, task: int, workspace: int) -> None:
    """A block of points times a group of panels, with bias, summand and activation."""
    compute(record(arguments), task, workspace, _multiply_floats)


@kernel(Product)
def integer_product(arguments: Any, task: int, workspace: int) -> None:
    """A product of bytes, with factors, biases, summand, bounds and rounding."""
    compute(record(arguments), task, workspace, _multiply_bytes)


@inlined
def compute(c: Any, task: int, workspace: int, multiply: Any) -> None:
    """Compute a task: ``multiply`` a panel, then apply the function of the epilogue row by row."""
    g, cut, e = c.geometry, c.cut, c.epilogue
    full = cut.vectors * LANES
    panels = -(-c.filters // full)
    number, task = task // cut.tasks, task % cut.tasks
    first, group = task // cut.groups * cut.points, task % cut.groups
    points = min(cut.points, points_of(g) - first)
    taps = taps_of(g)
    rows = -(-points // cut.rows) * cut.rows
    left = workspace
    gathered = left + 8 * rows * (taps + 3)
    sums = gathered + rows * cut.left_row
    free = sums if e.out.start != 0 else sums + rows * e.out.pixel
    place, stop = panels * group // cut.groups, panels * (group + 1) // cut.groups
    find_left(g, c.x, number * c.next_x, c.zeros, first, points, rows, left)
    results = find_results(e, g, number * c.next_out + place * full, first, points, rows, sums, left + 8 * rows * taps)
    if cut.left_row != 0:
        gather(left, rows, taps, c.depth, gathered, cut.left_row)
        configure_tiles()
    # Rows that are whole, and neighbours, need not be put together for a function.
    is_whole = cut.groups == 1 and c.filters <= _WHOLE and e.out.start != 0
    block = Block(number, first, points, rows, taps, left, results, gathered, free)
    for panel in range(place, stop):
        width = min(c.filters - panel * full, full)
        multiply(c, block, panel, width, panel + 1 == stop)
        if e.function >= 0 and not is_whole:
            activate_points(e, results, points, panel * full, width, free)
        move_results(e, results, rows, full)
    if cut.left_row != 0:
        release_tiles()
    if e.function >= 0 and is_whole:
        move_results(e, results, rows, -full * panels)
        activate_points(e, results, points, 0, c.filters, free)


@inlined
def _multiply_floats(c: Any, block: Any, place: int, width: int, is_last_panel: bool) -> None:
    """Multiply the rows of a block with a panel of f32 or bf16."""
    cut, taps = c.cut, block.taps
    column = place * cut.vectors * LANES
    step = 4 * -(-width // LANES) * LANES
    tiles = block.rows // cut.rows
    panel = c.panels + block.number * c.next_panels + 4 * column * c.panel_depth + step * c.first_row
    # A part of a product: some taps, or a part of the depth of one. Tiles of AMX multiply all of them.
    most = _DEPTH if cut.left_row == 0 and tiles > _FEW_TILES else taps * c.depth
    taps_each, parts = max(1, min(taps, most // c.depth)), -(-c.depth // most)
    depth_each = -(-c.depth // parts)
    for number in range(-(-taps // taps_each) * parts):
        tap, first = number // parts * taps_each, number % parts * depth_each
        taps_here, depth = min(taps_each, taps - tap), min(depth_each, c.depth - first)
        is_last = tap + taps_here == taps and first + depth == c.depth
        after = panel + step * taps_here * depth
        # Prefetch the next part, some bytes for each of its rows with each tile.
        fetches = (tiles > _FEW_TILES or cut.left_row != 0) and not (is_last and is_last_panel)
        ahead_step = -(-4 * cut.vectors * LANES // tiles) if fetches else 0
        ahead, ahead_tile = after, ahead_step * taps_here * depth
        if ahead_step == 0:
            ahead, ahead_step = panel + _AHEAD, 0 if tiles > 1 else step
        extent = (taps_here, depth) if cut.left_row == 0 else (1, c.panel_depth)
        part = (tap, 0, number == 0, is_last)
        multiply_part(c, block, part, extent, panel, column, width, (ahead, ahead_step, ahead_tile))
        panel = after
        if parts > 1:
            left = block.left + 8 * tap * block.rows
            move(left, block.rows, 4 * (depth if first + depth < c.depth else depth - c.depth))


@inlined
def multiply_part(c: Any, block: Any, part: Any, extent: Any, panel: int, column: int, width: int, ahead: Any) -> None:
    """Multiply some taps, or a part of the depth, of the rows of a block with those of a panel.

    ``part`` is the first tap, the bytes in front of what is multiplied in gathered rows, and whether this is the first
    part and the last. ``extent`` and ``ahead`` are as in `multiply_taps`, and the distance of the latter for tiles.
    """
    cut, e, results = c.cut, c.epilogue, block.results
    tap, skipped, is_first, is_last = part
    vectors = -(-width // LANES)
    bias = e.bias + block.number * c.next_bias + 4 * column if e.bias != 0 and is_first else 0
    is_rounded = results.rounded != 0 and is_last and e.function < 0
    is_stored = e.out.start != 0 or not is_rounded
    low = np.float32(e.low) if is_last else np.float32(-np.inf)
    high = np.float32(e.high) if is_last else np.float32(np.inf)
    for tile in range(block.rows // cut.rows):
        place = 8 * tile * cut.rows
        multiply_taps(
            (cut.rows, vectors, c.bf16),
            extent if cut.left_row == 0 else (min(cut.rows, block.points - tile * cut.rows), extent[1]),
            _left_of(c, block, tile, tap, skipped),
            (panel, 4 * vectors * LANES),
            (ahead[0] + tile * ahead[2], ahead[1]),
            bias,
            (
                results.out + place if is_stored else 0,
                results.rounded + place if is_rounded else 0,
                moved(results.summand, place) if is_first else results.out + place,
            ),
            width,
            low,
            high,
        )


@inlined
def _left_of(c: Any, block: Any, tile: int, tap: int, skipped: int) -> Any:
    """The left factor of a tile as `multiply_taps` takes it, from a tap on, or some bytes further in gathered rows."""
    row = c.cut.left_row
    gathered = block.gathered + tile * c.cut.rows * row + skipped
    left = block.left + 8 * (tap * block.rows + tile * c.cut.rows)
    return tile_of(left, 8 * block.rows, block.taps, c.depth, gathered, row)


@inlined
def _multiply_bytes(c: Any, block: Any, place: int, width: int, is_last_panel: bool) -> None:
    """Multiply the rows of a block with a panel of bytes."""
    cut, e, results, sides = c.cut, c.epilogue, block.results, c.epilogue.integers
    column = place * cut.vectors * LANES
    row = 4 * (block.number * sides.padded + column)
    panel = c.panels + block.number * c.next_panels + 4 * column * c.panel_depth
    is_stored = e.out.start != 0 or e.function >= 0
    for tile in range(block.rows // cut.rows):
        place = 8 * tile * cut.rows
        summand = moved(results.summand, place)
        stored = min(cut.rows, block.points - tile * cut.rows)
        multiply_bytes(
            (cut.rows, -(-width // LANES)),
            (block.taps, c.depth) if cut.left_row == 0 else (stored, c.panel_depth),
            _left_of(c, block, tile, 0, 0),
            panel,
            (panel, 0),
            (sides.starts + row, sides.factors + row, sides.biases + row),
            width,
            sides.numbers,
            (
                summand if sides.summand_size == 4 else 0,
                summand if sides.summand_size == 1 else 0,
                results.out + place if is_stored else 0,
                moved(results.rounded, place) if e.function < 0 else 0,
            ),
        )
