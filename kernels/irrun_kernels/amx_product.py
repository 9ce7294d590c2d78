"""Sums of products on tiles of AMX.

The right factor is in the same panels as for vectors: 16 words of 16 columns are a tile of it. Rows of the left factor
have to be equally far apart: where they are not, a task first writes those of all taps one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from irrun_kernels.amx import ROWS, TileOperations, tiles
from irrun_kernels.backends import HAS_TILES
from irrun_kernels.functions import assign, fill
from irrun_kernels.host import BYTES
from irrun_kernels.native import floats, inlined, intrinsic, longs
from irrun_kernels.vectors import Vectors

POINTS: Final = 2 * ROWS
"""Rows of a result that are computed at a time."""

LINE: Final = 64
"""Bytes of a line of a cache."""

AT_ONCE: Final = 4
"""Rows of sums that are in vector registers at a time."""


@inlined
def distance(left: int, taps: int, depth: int) -> Any:
    """Return how many bytes the rows of a tile are apart if it can be read where it is, else 0.

    ``left`` is the address of the addresses of `POINTS` rows of ``depth`` words.
    """
    addresses = longs(left, POINTS)
    step = addresses[1] - addresses[0]
    if taps > 1 or depth % ROWS > 0:
        return 0
    for row in range(2, POINTS):
        if addresses[row] - addresses[row - 1] != step:
            return 0
    return step


@inlined
def gather(left: int, points: int, taps: int, depth: int, out: int, step: int) -> None:
    """Write the words of all taps of each point one after another, and zeros behind them, where tiles need that.

    ``left`` is the address of the addresses of ``depth`` words, tap by tap. Rows of ``out`` are ``step`` bytes apart.
    """
    addresses = longs(left, taps * points)
    for first in range(0, points, POINTS):
        if distance(left + 8 * first, taps, depth) == 0:
            for row in range(first, first + POINTS):
                place = out + row * step
                for tap in range(taps):
                    assign(floats(place, depth), floats(addresses[tap * points + row], depth))
                    place += 4 * depth
                fill(floats(place, step // 4 - taps * depth), np.float32(0))


@inlined
def tile_of(left: int, left_tap: int, taps: int, depth: int, gathered: int, row: int) -> tuple[Any, Any]:
    """Return the left factor of a tile as products take it: addresses, and the distance of those of two taps.

    For tiles of AMX, which there are unless ``row`` is 0: the address of the first row, and the distance of rows. It is
    read where it is, or where it was ``gathered``; rows are ``row`` bytes apart there.
    """
    if row == 0:
        return left, left_tap
    step = distance(left, taps, depth)
    return (gathered, row) if step == 0 else (longs(left, 1)[0], step)


@intrinsic("void")
def configure_tiles(v: Vectors) -> None:
    """Prepare the tiles of this thread."""
    if HAS_TILES:
        tiles(v).configure()


@intrinsic("void")
def release_tiles(v: Vectors) -> None:
    """Leave the thread as it was."""
    if HAS_TILES:
        tiles(v).release()


def multiplied(
    v: Vectors,
    used: TileOperations,
    multiply: Callable[[int, int, int], None],
    width: int,
    extent: Any,
    left: Any,
    panel: Any,
    ahead: Any,
) -> Iterator[tuple[Any, Any]]:
    """Emit the product of `POINTS` rows and a panel [depth, width], then a loop over `AT_ONCE` rows of it at a time.

    The loop is over the rows that are stored. What is built with each pair is its body: the number of the first row,
    and the address of the sums, [AT_ONCE, width] vectors. Four tiles hold sums at a time, of two tiles of rows and two
    of columns. ``extent``, ``left`` and ``ahead`` are as in `multiply_taps`.
    """
    builder = v.builder
    (points, depth), (left, step), (ahead, ahead_step) = extent, left, ahead
    sums = v.scratch(POINTS * BYTES * width)
    row = v.constant(BYTES * width)
    blocks = builder.udiv(depth, v.constant(ROWS))
    fetched = v.variable(ahead)
    columns = range(0, width, 2)
    each = builder.mul(ahead_step, v.constant(ROWS // len(columns)))
    lines = builder.udiv(builder.add(each, v.constant(LINE - 1)), v.constant(LINE))
    for column in columns:
        right = range(min(2, width - column))
        pairs = [(i, j) for i in range(2) for j in right]
        for i, j in pairs:
            used.zero(2 * i + j)
        with v.times(blocks) as loop:
            with v.times(lines) as line:
                v.prefetch(v.beyond(builder.load(fetched), line, LINE))
            builder.store(builder.add(builder.load(fetched), each), fetched)
            here = v.beyond(left, loop, 4 * ROWS)
            there = v.beyond(panel, loop, ROWS * BYTES * width)
            for i in range(2):
                used.load(4 + i, v.beyond(here, step, ROWS * i), step)
            for j in right:
                used.load(6 + j, builder.add(there, v.constant(BYTES * (column + j))), row)
            for i, j in pairs:
                multiply(2 * i + j, 4 + i, 6 + j)
        for i, j in pairs:
            place = v.constant(BYTES * (ROWS * i * width + column + j))
            used.store(2 * i + j, builder.add(sums, place), row)
    groups = builder.udiv(builder.add(points, v.constant(AT_ONCE - 1)), v.constant(AT_ONCE))
    with v.times(groups) as loop:
        first = builder.mul(loop, v.constant(AT_ONCE))
        yield first, v.beyond(sums, first, row)
