"""The addresses of the rows of products: of the pixels that each tap of a kernel meets, and of the results."""

from __future__ import annotations

from typing import Any

from irrun.kernels.compiled.native import inlined, longs


@inlined
def find_left(c: Any, x: int, first: int, last: int, points: int, out: int) -> None:
    """Write the addresses of the pixels of all tiles, tap by tap, for points from ``first`` on.

    ``x`` is the address of the images, and ``points`` how many addresses each tap has: the last one is repeated.
    """
    index = 0
    while index < last - first:
        line, column = (first + index) // c.columns, (first + index) % c.columns
        image, y = line // c.rows, line % c.rows
        count = min(c.columns - column, last - first - index)
        here = out + 8 * index
        for ky in range(c.kernel_height):
            down = y * c.stride_height + ky * c.dilation_height - c.begin_height
            row = x + image * c.x_image + down * c.x_row if 0 <= down < c.height else 0
            for kx in range(c.kernel_width):
                across = column * c.stride_width + kx * c.dilation_width - c.begin_width
                _find_pixels(here, row, across, c.stride_width, c.width, c.x_pixel, c.zeros, count)
                here += 8 * points
        index += count
    for tap in range(c.kernel_height * c.kernel_width):
        _repeat(out + 8 * points * tap, last - first, points)


@inlined
def find_points(
    c: Any, x: int, of_image: int, of_row: int, of_pixel: int, first: int, last: int, points: int, out: int
) -> None:
    """Write the addresses of points of an array; the last one is repeated. Strides are in bytes."""
    index = 0
    while index < last - first:
        line, column = (first + index) // c.columns, (first + index) % c.columns
        count = min(c.columns - column, last - first - index)
        start = x + line // c.rows * of_image + line % c.rows * of_row + column * of_pixel
        _fill_range(out + 8 * index, start, of_pixel, count)
        index += count
    _repeat(out, last - first, points)


@inlined
def find_rows(x: int, step: int, count: int, points: int, out: int) -> None:
    """Write the addresses of rows that are ``step`` bytes apart; the last one is repeated."""
    _fill_range(out, x, step, count)
    _repeat(out, count, points)


@inlined
def move(addresses: int, count: int, bytes: int) -> None:
    """Add to addresses."""
    values = longs(addresses, count)
    for index in range(count):
        values[index] += bytes


@inlined
def _fill_range(out: int, start: int, step: int, count: int) -> None:
    values = longs(out, count)
    for i in range(count):
        values[i] = start + i * step


@inlined
def _find_pixels(out: int, row: int, across: int, stride: int, width: int, step: int, zeros: int, count: int) -> None:
    """Write the addresses of the pixels that one tap meets in a row, which is 0 outside; else that of zeros."""
    before = min(count, -(across // stride)) if across < 0 else 0
    inside = max(before, min(count, (width - 1 - across) // stride + 1)) if row != 0 else before
    _fill_range(out, zeros, 0, before)
    _fill_range(out + 8 * before, row + (across + before * stride) * step, stride * step, inside - before)
    _fill_range(out + 8 * inside, zeros, 0, count - inside)


@inlined
def _repeat(out: int, count: int, points: int) -> None:
    """Repeat the last address in the rest of the last tile."""
    values = longs(out, points)
    for i in range(count, points):
        values[i] = values[count - 1]
