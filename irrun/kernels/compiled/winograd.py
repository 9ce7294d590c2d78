"""The transforms of convolution by tiles, F(4x4, 3x3) over the points of `irrun.kernels.winograd`, channel by channel.

A tile of 6 x 6 elements becomes one row of each of 36 matrices; 36 products later, the same rows become 4 x 4 results.
Number i of the rows and number j of the columns of the transform stand at 6 * j + i.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.compiled.copies import copy_rows
from irrun.kernels.compiled.functions import add, unary
from irrun.kernels.compiled.native import floats, inlined, kernel, record
from irrun.kernels.convolution_blocks import TILE
from irrun.kernels.winograd import POINTS

_A, _B = np.float32(POINTS[1]), np.float32(POINTS[3])
_A2, _B2 = np.float32(_A * _A), np.float32(_B * _B)
_A3, _B3 = np.float32(_A2 * _A), np.float32(_B2 * _B)
_SUM, _PRODUCT = np.float32(_A2 + _B2), np.float32(_A2 * _B2)


class TransformData(NamedTuple):
    """Arguments of `transform_data`. Strides of ``x`` are in bytes, for rows and pixels.

    ``x`` is an image [height, width, channels], ``out`` [36, tiles, channels] for the tiles from number ``first`` on,
    of which there are ``across`` in a row.
    """

    x: int
    out: int
    zeros: int
    height: int
    width: int
    channels: int
    x_row: int
    x_pixel: int
    begin_height: int
    begin_width: int
    first: int
    tiles: int
    across: int
    tiles_per_task: int


@kernel(TransformData)
def transform_data(arguments: Any, task: int, workspace: int) -> None:
    """Some tiles; workspace has room for 36 rows of channels."""
    c = record(arguments)
    count = c.channels
    for tile in range(task * c.tiles_per_task, min(c.tiles, (task + 1) * c.tiles_per_task)):
        top = (c.first + tile) // c.across * TILE - c.begin_height
        left = (c.first + tile) % c.across * TILE - c.begin_width
        for column in range(6):
            x = left + column
            inside = 0 <= x < c.width
            _transform_six(
                c.x + top * c.x_row + x * c.x_pixel if inside and 0 <= top < c.height else c.zeros,
                c.x + (top + 1) * c.x_row + x * c.x_pixel if inside and 0 <= top + 1 < c.height else c.zeros,
                c.x + (top + 2) * c.x_row + x * c.x_pixel if inside and 0 <= top + 2 < c.height else c.zeros,
                c.x + (top + 3) * c.x_row + x * c.x_pixel if inside and 0 <= top + 3 < c.height else c.zeros,
                c.x + (top + 4) * c.x_row + x * c.x_pixel if inside and 0 <= top + 4 < c.height else c.zeros,
                c.x + (top + 5) * c.x_row + x * c.x_pixel if inside and 0 <= top + 5 < c.height else c.zeros,
                workspace + 4 * count * column,
                24 * count,
                count,
            )
        for row in range(6):
            at = workspace + 24 * count * row
            step = 4 * count
            out = c.out + 4 * count * (c.tiles * row + tile)
            _transform_six(
                at,
                at + step,
                at + 2 * step,
                at + 3 * step,
                at + 4 * step,
                at + 5 * step,
                out,
                24 * count * c.tiles,
                count,
            )


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

    Strides are in bytes, for rows and pixels; 0 stands for no array.
    """

    products: int
    bias: int
    summand: int
    out: int
    height: int
    width: int
    channels: int
    out_row: int
    out_pixel: int
    summand_row: int
    summand_pixel: int
    first: int
    tiles: int
    across: int
    tiles_per_task: int
    function: int
    alpha: float
    beta: float


@kernel(TransformResult)
def transform_result(arguments: Any, task: int, workspace: int) -> None:
    """Some tiles; workspace has room for 28 rows of channels."""
    c = record(arguments)
    count = c.channels
    step = 24 * count * c.tiles
    results = workspace + 96 * count
    for tile in range(task * c.tiles_per_task, min(c.tiles, (task + 1) * c.tiles_per_task)):
        top, left = (c.first + tile) // c.across * TILE, (c.first + tile) % c.across * TILE
        for column in range(6):
            at = c.products + step * column + 4 * count * tile
            _transform_four(at, 4 * count * c.tiles, workspace + 4 * count * column, 24 * count, count)
        for row in range(min(TILE, c.height - top)):
            wide = min(TILE, c.width - left)
            _transform_four(workspace + 24 * count * row, 4 * count, results, 4 * count, count)
            for column in range(wide):
                x = floats(results + 4 * count * column, count)
                if c.bias != 0:
                    add(x, floats(c.bias, count))
                if c.summand != 0:
                    place = c.summand + (top + row) * c.summand_row + (left + column) * c.summand_pixel
                    add(x, floats(place, count))
            if c.function >= 0:
                unary(c.function, floats(results, wide * count), np.float32(c.alpha), np.float32(c.beta))
            out = c.out + (top + row) * c.out_row + left * c.out_pixel
            copy_rows(results, 4 * count, out, c.out_pixel, wide, count)


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
