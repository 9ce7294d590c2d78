"""The right factor of a product in panels, and the cuts of a product into tasks."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from irrun_kernels.amx import ROWS as TILE_ROWS
from irrun_kernels.amx_product import POINTS
from irrun_kernels.functions import RUN
from irrun_kernels.host import LANES
from irrun_kernels.micro import FEW_ROWS, ROWS, VECTORS

Array = npt.NDArray[Any]

_COST: Final = {4: 1.0, 3: 1.02, 2: 1.1, 1: 1.9}
"""Time for each vector of a panel, by the number of vectors in it: fewer of them wait longer for the rows."""

_SUMS: Final = 12
"""Sums of a tile that keep the multipliers busy, each of which waits for the previous product."""

_POINTS: Final = 192
"""Points in a task, roughly: what is read for them stays in the L2 cache."""

_LEAST_WORK: Final = 0.6e6
"""Multiplications of a task: some eight microseconds."""

_LEAST_POINTS: Final = 10
"""Points up to which it is not the multiplications that take time, but reading the weights."""

_TILE_POINTS: Final = 16
"""Points from which tiles of AMX are worth their empty rows."""

_GATHERED: Final = 1 << 20
"""Bytes of rows that are gathered for tiles, roughly: they stay in the L2 cache."""

_MOST_TASKS: Final = 16
"""Tasks of a call as far as that leaves them large enough; more where there are many points."""


def panel_vectors(columns: int) -> int:
    """Return the vectors in each panel but the last, for ``columns`` columns."""
    costs = {}
    for width in range(VECTORS, 0, -1):
        whole, rest = divmod(-(-columns // LANES), width)
        costs[width] = whole * width * _COST[width] + (1.05 * rest * _COST[rest] if rest else 0)
    return min(costs, key=costs.__getitem__)


def padded_columns(columns: int) -> int:
    """The columns of a packed matrix: whole vectors."""
    return -(-columns // LANES) * LANES


def padded_rows(rows: Array) -> Array:
    """Rows [..., columns] with zeros behind them: whole vectors."""
    padded = np.zeros((*rows.shape[:-1], padded_columns(rows.shape[-1])), rows.dtype)
    padded[..., : rows.shape[-1]] = rows
    return padded


def words_of(codes: Array, bits: int) -> Array:
    """Pack signed codes [K, N] of 4 or 8 bits into words [K * bits / 32, N]: the first of a column in the lowest."""
    columns: Array = np.ascontiguousarray(codes.T).view(np.uint8)
    if bits == 4:
        columns = columns[:, ::2] & 15 | columns[:, 1::2] << 4
    return columns.view("<u4").T


def padded_depth(words: int, has_tiles: bool) -> int:
    """The words in a column of a packed matrix: whole tiles, where the processor has any."""
    return -(-words // TILE_ROWS) * TILE_ROWS if has_tiles else words


_EVEN: Final = 4

_PANELS: Final = 3
"""Panels of a task, where there are enough of them: while one is multiplied, the next one is fetched."""


class Tiling(NamedTuple):
    """The partition of a product: rows of a tile, vectors of a panel, points of a task, groups of panels, tasks.

    ``left_row`` is the distance of rows that are gathered for tiles of AMX, or 0.
    """

    rows: int
    vectors: int
    points: int
    groups: int
    tasks: int
    workspace: int
    left_row: int


def tiling(points: int, taps: int, depth: int, filters: int, products: int = 1, *, has_tiles: bool = False) -> Tiling:
    """Cut a product so that tasks are neither too large for the caches nor too small to be worth handing out.

    Tiles of AMX multiply where ``has_tiles`` says that they can, and there are enough points. No points are no tasks.
    """
    vectors = panel_vectors(filters)
    # As many rows as registers hold, unless too many of them would be empty.
    few, rows = FEW_ROWS, ROWS[vectors]
    cost = 1.03 if few * vectors >= _SUMS else 1.25
    if cost * few * -(-points // few) < rows * -(-points // rows):
        rows = few
    if points == 1:
        rows = 1
    left_row, most_points = 0, _POINTS
    if has_tiles and points >= _TILE_POINTS:
        # Rows that begin in neighbouring sets of the cache.
        rows, left_row = POINTS, 4 * padded_depth(taps * depth, has_tiles) + 64
        most_points = min(_POINTS, max(rows, _GATHERED // left_row // rows * rows))
    work = max(points, _LEAST_POINTS) * taps * depth * filters
    most = max(1, min(_MOST_TASKS // min(products, _MOST_TASKS), int(work // _LEAST_WORK)))
    panels = -(-filters // (vectors * LANES))
    blocks = max(1, -(-points // most_points))
    groups = min(panels, max(1, round(most / blocks)))
    blocks = max(blocks, min(most // groups, -(-points // (2 * rows))))
    groups = min(groups, max(_EVEN, panels // _PANELS))
    if most > 1:
        # Tasks for an even number of workers.
        even = _EVEN // math.gcd(_EVEN, groups)
        blocks = max(1, min(-(-blocks // even) * even, -(-points // (2 * rows))))
    part = -(-points // blocks)
    each = max(1, -(-part // rows)) * rows
    blocks = max(1, -(-points // each))
    workspace = (8 * (taps + 3) + left_row) * (each + rows) + 4 * RUN
    return Tiling(rows, vectors, each, groups, blocks * groups if points else 0, workspace, left_row)
