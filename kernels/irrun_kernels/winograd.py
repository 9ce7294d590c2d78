"""The transforms of convolution by tiles, F(4x4, 3x3) over `POINTS`, channel by channel.

A tile of 6 x 6 elements becomes one row of each of 36 matrices; 36 products later, the same rows become 4 x 4 results.
Number i of the rows and number j of the columns of the transform stand at 6 * j + i.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.copies import copy_rows
from irrun_kernels.epilogue import Epilogue, activate, add_and_clip
from irrun_kernels.native import Address, Read, Write, floats, inlined, kernel, longs, record
from irrun_kernels.pixels import Images, ImageWindows

TILE: Final = 4
POINTS: Final = (0.0, 0.625, -0.625, 1.5, -1.5)

_A, _B = np.float32(POINTS[1]), np.float32(POINTS[3])
_A2, _B2 = np.float32(_A * _A), np.float32(_B * _B)
_A3, _B3 = np.float32(_A2 * _A), np.float32(_B2 * _B)
_SUM, _PRODUCT = np.float32(_A2 + _B2), np.float32(_A2 * _B2)


class TileRange(NamedTuple):
    """The ``total`` tiles of an image from number ``first`` on, of which there are ``across`` in a row."""

    geometry: ImageWindows
    across: int
    first: int
    total: int


class TransformData(NamedTuple):
    """Arguments of `transform_data`: an image [height, width, channels] to matrices [36, tiles, channels]."""

    x: Read[Images]
    out: Write[Address]
    zeros: Read[Address]
    tiles: TileRange
    channels: int
    tiles_per_task: int


@kernel(TransformData)
def transform_data(arguments: Any, task: int, workspace: int) -> None:
    """Some tiles; workspace has room for 36 rows of channels."""
    c = record(arguments)
    count, tiles = c.channels, c.tiles.total
    for tile in range(task * c.tiles_per_task, min(tiles, (task + 1) * c.tiles_per_task)):
        top, left = _corner(c.tiles, tile)
        top, left = top - c.tiles.geometry.begins[1], left - c.tiles.geometry.begins[2]
        for column in range(6):
            x = left + column
            upper = (_pixel(c, top, x), _pixel(c, top + 1, x), _pixel(c, top + 2, x))
            lower = (_pixel(c, top + 3, x), _pixel(c, top + 4, x), _pixel(c, top + 5, x))
            _transform_six(*upper, *lower, workspace + 4 * count * column, 24 * count, count)
        for row in range(6):
            at = workspace + 24 * count * row
            step = 4 * count
            out = c.out + 4 * count * (tiles * row + tile)
            rows = (at, at + step, at + 2 * step, at + 3 * step, at + 4 * step, at + 5 * step)
            _transform_six(*rows, out, 24 * count * tiles, count)


@inlined
def _corner(t: Any, tile: int) -> tuple[int, int]:
    """The row and the column of the first result of a tile."""
    return (t.first + tile) // t.across * TILE, (t.first + tile) % t.across * TILE


@inlined
def _pixel(c: Any, y: int, x: int) -> int:
    """The address of a pixel of the image; that of zeros outside of it."""
    if 0 <= x < c.tiles.geometry.sizes[2] and 0 <= y < c.tiles.geometry.sizes[1]:
        return int(c.x.start + y * c.x.row + x * c.x.pixel)
    return int(c.zeros)


@inlined
def _transform_six(a0: int, a1: int, a2: int, a3: int, a4: int, a5: int, out: int, step: int, count: int) -> None:
    """Six rows become six, ``step`` bytes apart: polynomials that are zero at all points but one."""
    d0, d1, d2 = floats(a0, count), floats(a1, count), floats(a2, count)
    d3, d4, d5 = floats(a3, count), floats(a4, count), floats(a5, count)
    r0, r1, r2 = floats(out, count), floats(out + step, count), floats(out + 2 * step, count)
    r3, r4, r5 = floats(out + 3 * step, count), floats(out + 4 * step, count), floats(out + 5 * step, count)
    for i in range(count):
        even, odd = d4[i] - _B2 * d2[i], _A * (d3[i] - _B2 * d1[i])
        r0[i] = d4[i] - _SUM * d2[i] + _PRODUCT * d0[i]
        r1[i] = even + odd
        r2[i] = even - odd
    for i in range(count):
        even, odd = d4[i] - _A2 * d2[i], _B * (d3[i] - _A2 * d1[i])
        r3[i] = even + odd
        r4[i] = even - odd
        r5[i] = d5[i] - _SUM * d3[i] + _PRODUCT * d1[i]


class TransformResult(NamedTuple):
    """Arguments of `transform_result`: products [36, tiles, channels] to an image [height, width, channels].

    ``misfit`` is the address of a number that becomes 1 where a result is infinite or NaN.
    """

    products: Read[Address]
    tiles: TileRange
    channels: int
    tiles_per_task: int
    epilogue: Epilogue
    misfit: Write[Address]


@kernel(TransformResult)
def transform_result(arguments: Any, task: int, workspace: int) -> None:
    """Some tiles; workspace has room for 28 rows of channels."""
    c = record(arguments)
    e, count, tiles, sizes = c.epilogue, c.channels, c.tiles.total, c.tiles.geometry.counts
    step = 24 * count * tiles
    results = workspace + 96 * count
    for tile in range(task * c.tiles_per_task, min(tiles, (task + 1) * c.tiles_per_task)):
        top, left = _corner(c.tiles, tile)
        for column in range(6):
            at = c.products + step * column + 4 * count * tile
            _transform_four(at, 4 * count * tiles, workspace + 4 * count * column, 24 * count, count)
        for row in range(min(TILE, sizes[1] - top)):
            wide = min(TILE, sizes[2] - left)
            _transform_four(workspace + 24 * count * row, 4 * count, results, 4 * count, count)
            _note_infinite(results, results + 4 * count * (TILE - 1), c.misfit)
            for column in range(wide):
                summand = 0
                if e.summand.start != 0:
                    summand = e.summand.start + (top + row) * e.summand.row + (left + column) * e.summand.pixel
                add_and_clip(e, floats(results + 4 * count * column, count), 0, summand)
            activate(e, results, 4 * count, wide, count, 0)
            out = e.out.start + (top + row) * e.out.row + left * e.out.pixel
            copy_rows(results, 4 * count, out, e.out.pixel, wide, count)


@inlined
def _note_infinite(first: int, last: int, misfit: int) -> None:
    """Note an infinity or NaN in a row of a tile.

    In a tile with such an element of data, it is in all channels, and in the first or last column or in all four.
    """
    both = floats(first, 1)[0] + floats(last, 1)[0]
    if both - both != 0:
        longs(misfit, 1)[0] = 1


@inlined
def _transform_four(products: int, step: int, out: int, out_step: int, count: int) -> None:
    """Six rows, ``step`` bytes apart, become four: powers of the points."""
    m0, m1, m2 = floats(products, count), floats(products + step, count), floats(products + 2 * step, count)
    m3, m4 = floats(products + 3 * step, count), floats(products + 4 * step, count)
    m5 = floats(products + 5 * step, count)
    y0, y1 = floats(out, count), floats(out + out_step, count)
    y2, y3 = floats(out + 2 * out_step, count), floats(out + 3 * out_step, count)
    for i in range(count):
        plus, minus = m1[i] + m2[i], m1[i] - m2[i]
        more, less = m3[i] + m4[i], m3[i] - m4[i]
        y0[i] = m0[i] + plus + more
        y1[i] = _A * minus + _B * less
        y2[i] = _A2 * plus + _B2 * more
        y3[i] = _A3 * minus + _B3 * less + m5[i]
