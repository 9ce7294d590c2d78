"""Products of matrices and convolutions: rows of the left factor by their addresses, times packed panels.

A convolution is a product without copies of windows: its rows are pixels, and for each tap of the kernel the pixel that
the tap meets, or zeros. A product of matrices is a convolution with one tap over an image of one row.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irrun.kernels.compiled.functions import RUN, apply_to_rows, unary
from irrun.kernels.compiled.micro import ROWS, VECTORS, multiply_tile
from irrun.kernels.compiled.native import floats, inlined, kernel, longs, record
from irrun.kernels.compiled.vectors import LANES

Array = npt.NDArray[Any]

_COST: Final = {4: 1.0, 3: 1.02, 2: 1.1, 1: 1.9}
"""Time for each vector of a panel, by the number of vectors in it: fewer of them wait longer for the rows."""

_POINTS: Final = 192
"""Points in a task, roughly: what is read for them stays in the second cache."""

_LEAST_WORK: Final = 0.6e6
"""Multiplications of a task: some eight microseconds."""

_LEAST_POINTS: Final = 10
"""Points up to which it is not the multiplications that take time, but reading the weights."""

_MOST_TASKS: Final = 16
"""Tasks of a call as far as that leaves them large enough; more where there are many points."""


class Product(NamedTuple):
    """Arguments of `product`. Strides are in bytes, and for images, rows and pixels; 0 stands for no array.

    ``x`` is [images, height, width, depth], ``out`` and ``summand`` [images, rows, columns, filters]. ``zeros`` are
    ``depth`` of them. A task has ``points`` of the result, and one of so many ``groups`` of panels. Of several products
    with equal sizes, each has so many tasks, and begins so many bytes behind the one before.
    """

    x: int
    panels: int
    out: int
    columns: int
    width: int
    depth: int
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
    function: int = -1
    alpha: float = 0
    beta: float = 0
    tasks: int = 1 << 60
    next_x: int = 0
    next_panels: int = 0
    next_out: int = 0


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
    left = workspace
    targets = left + 8 * tiles * taps * c.tile_rows
    added = targets + 8 * tiles * c.tile_rows
    place = panels * group // c.groups
    stop = panels * (group + 1) // c.groups
    _find_rows(c, number, first, last, place * full, left, targets, added)
    low, high = np.float32(c.low), np.float32(c.high)
    while place < stop:
        column = place * full
        width = min(c.filters - column, full)
        vectors = -(-width // LANES)
        panel = c.panels + number * c.next_panels + 4 * column * taps * c.depth
        after = panel + 4 * vectors * LANES * taps * c.depth
        # The next panel, a part of each of its rows with each tile.
        ahead_step = -(-4 * full // tiles) if place + 1 < panels and tiles > 2 else 0
        for tile in range(tiles):
            multiply_tile(
                c.tile_rows,
                vectors,
                taps,
                c.depth,
                left + 8 * tile * taps * c.tile_rows,
                panel,
                4 * vectors * LANES,
                c.bias + 4 * column if c.bias != 0 else 0,
                targets + 8 * tile * c.tile_rows,
                added + 8 * tile * c.tile_rows if c.summand != 0 else 0,
                width,
                after + tile * ahead_step * taps * c.depth if ahead_step else panel,
                ahead_step,
                low,
                high,
            )
        if c.function >= 0:
            _apply(c, longs(targets, last - first), width, added + 8 * tiles * c.tile_rows)
        _move(targets, tiles * c.tile_rows, 4 * full)
        if c.summand != 0:
            _move(added, tiles * c.tile_rows, 4 * full)
        place += 1


@inlined
def _apply(c: Any, targets: Any, width: int, workspace: int) -> None:
    """Replace what has been computed by a function of it."""
    alpha, beta = np.float32(c.alpha), np.float32(c.beta)
    count = len(targets)
    if targets[count - 1] - targets[0] == (count - 1) * c.out_pixel:
        apply_to_rows(c.function, targets[0], c.out_pixel, count, width, alpha, beta, workspace)
    else:
        for index in range(count):
            unary(c.function, floats(targets[index], width), alpha, beta)


@inlined
def _move(addresses: int, count: int, bytes: int) -> None:
    values = longs(addresses, count)
    for index in range(count):
        values[index] += bytes


@inlined
def _find_rows(c: Any, number: int, first: int, last: int, column: int, left: int, targets: int, added: int) -> None:
    """Write the addresses of the rows of all tiles: of the left factor, of the result, of the summand."""
    taps = c.kernel_height * c.kernel_width
    rows = c.tile_rows
    tiles = -(-(last - first) // rows)
    lefts = longs(left, tiles * rows * taps)
    outs = longs(targets, tiles * rows)
    sums = longs(added, tiles * rows)
    image, rest = first // (c.rows * c.columns), first % (c.rows * c.columns)
    y, x = rest // c.columns, rest % c.columns
    for index in range(tiles * rows):
        outs[index] = c.out + number * c.next_out + 4 * column + image * c.out_image + y * c.out_row + x * c.out_pixel
        sums[index] = c.summand + 4 * column + image * c.summand_image + y * c.summand_row + x * c.summand_pixel
        place = index // rows * rows * taps + index % rows
        origin = c.x + number * c.next_x + image * c.x_image
        for ky in range(c.kernel_height):
            down = y * c.stride_height + ky * c.dilation_height - c.begin_height
            for kx in range(c.kernel_width):
                across = x * c.stride_width + kx * c.dilation_width - c.begin_width
                inside = 0 <= down < c.height and 0 <= across < c.width
                lefts[place] = origin + down * c.x_row + across * c.x_pixel if inside else c.zeros
                place += rows
        if first + index < last - 1:
            x += 1
            if x == c.columns:
                x = 0
                y += 1
                if y == c.rows:
                    y = 0
                    image += 1


def panel_vectors(columns: int) -> int:
    """Vectors in each panel but the last, for so many columns."""
    vectors = -(-columns // LANES)

    def cost(width: int) -> float:
        whole, rest = divmod(vectors, width)
        return whole * width * _COST[width] + (1.05 * rest * _COST[rest] if rest else 0)

    return min(range(VECTORS, 0, -1), key=cost)


def padded_columns(columns: int) -> int:
    """The columns of a packed matrix: whole vectors."""
    return -(-columns // LANES) * LANES


def pack(matrix: Array, vectors: int) -> Array:
    """A matrix [K, N] in panels [K, vectors * LANES], the last one as narrow as whole vectors allow."""
    depth, columns = matrix.shape
    size = vectors * LANES
    whole = columns // size * size
    rest = -(-(columns - whole) // LANES) * LANES
    packed = np.zeros(depth * (whole + rest), matrix.dtype)
    front = packed[: depth * whole].reshape(-1, depth, size)
    front[...] = matrix[:, :whole].reshape(depth, -1, size).transpose(1, 0, 2)
    packed[depth * whole :].reshape(depth, rest)[:, : columns - whole] = matrix[:, whole:]
    return packed


class Tiling(NamedTuple):
    """How a product is cut: rows of a tile, vectors of a panel, points of a task, groups of panels; then the tasks."""

    rows: int
    vectors: int
    points: int
    groups: int
    tasks: int
    workspace: int


def tiling(points: int, taps: int, depth: int, filters: int, products: int = 1) -> Tiling:
    """Cut a product so that tasks are neither too large for the caches nor too small to be worth handing out."""
    vectors = panel_vectors(filters)
    rows = 1 if points == 1 else ROWS[vectors]
    work = max(points, _LEAST_POINTS) * taps * depth * filters
    most = max(1, min(_MOST_TASKS // min(products, _MOST_TASKS), int(work // _LEAST_WORK)))
    panels = -(-filters // (vectors * LANES))
    blocks = -(-points // _POINTS)
    groups = min(panels, max(1, round(most / blocks)))
    blocks = max(blocks, min(most // groups, -(-points // (2 * rows))))
    part = -(-points // blocks)
    each = -(-part // rows) * rows
    blocks = -(-points // each)
    return Tiling(rows, vectors, each, groups, blocks * groups, 8 * (each + rows) * (taps + 2) + 4 * RUN)
