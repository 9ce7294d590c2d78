"""The addresses of the rows of products: of the pixels that each tap of a kernel meets, and of the results."""

from __future__ import annotations

from typing import Any, NamedTuple

from irrun_kernels.native import NOWHERE, Address, floats, inlined, longs


class Images(NamedTuple):
    """The address of the first pixel of images, 0 for none, and the bytes between images, planes, rows and pixels."""

    start: Address = NOWHERE
    image: int = 0
    plane: int = 0
    row: int = 0
    pixel: int = 0


class Geometry(NamedTuple):
    """Windows over images [images, depth, height, width, ...], whose results are [images, planes, rows, columns, ...].

    The rows of a matrix are the pixels of one image with one row.
    """

    kernel_depth: int = 1
    kernel_height: int = 1
    kernel_width: int = 1
    stride_depth: int = 1
    stride_height: int = 1
    stride_width: int = 1
    dilation_depth: int = 1
    dilation_height: int = 1
    dilation_width: int = 1
    begin_depth: int = 0
    begin_height: int = 0
    begin_width: int = 0
    images: int = 1
    planes: int = 1
    rows: int = 1
    columns: int = 1
    depth: int = 1
    height: int = 1
    width: int = 1


@inlined
def taps_of(g: Any) -> Any:
    """The number of taps of a window."""
    return g.kernel_depth * g.kernel_height * g.kernel_width


@inlined
def image_of(g: Any, line: int) -> tuple[int, int, int]:
    """The image, the plane and the row of a row of the results, by its number."""
    return line // (g.planes * g.rows), line // g.rows % g.planes, line % g.rows


@inlined
def row_of(g: Any, x: Any, line: int) -> Any:
    """The address of a row of results in `Images`, by its number."""
    image, z, y = image_of(g, line)
    return x.start + image * x.image + z * x.plane + y * x.row


@inlined
def find_left(g: Any, x: Any, shift: int, zeros: int, first: int, count: int, points: int, out: int) -> None:
    """Write the addresses of the pixels of all tiles, tap by tap, for ``count`` points from ``first`` on.

    ``x`` are the `Images`, ``shift`` what is added to their addresses, ``zeros`` is the pixel outside of them.
    ``points`` is how many addresses each tap has: the last one is repeated.
    """
    index = 0
    while index < count:
        line, column = (first + index) // g.columns, (first + index) % g.columns
        image, z, y = image_of(g, line)
        here = min(g.columns - column, count - index)
        place = out + 8 * index
        for kz in range(g.kernel_depth):
            back = z * g.stride_depth + kz * g.dilation_depth - g.begin_depth
            plane = x.start + shift + image * x.image + back * x.plane if 0 <= back < g.depth else 0
            for ky in range(g.kernel_height):
                down = y * g.stride_height + ky * g.dilation_height - g.begin_height
                row = plane + down * x.row if plane != 0 and 0 <= down < g.height else 0
                for kx in range(g.kernel_width):
                    across = column * g.stride_width + kx * g.dilation_width - g.begin_width
                    _find_pixels(place, row, across, g.stride_width, g.width, x.pixel, zeros, here)
                    place += 8 * points
        index += here
    for tap in range(taps_of(g)):
        _repeat(out + 8 * points * tap, count, points)


@inlined
def find_points(g: Any, x: Any, shift: int, first: int, count: int, points: int, out: int) -> None:
    """Write the addresses of ``count`` points of `Images`, ``shift`` bytes further; the last one is repeated."""
    index = 0
    while index < count:
        line, column = (first + index) // g.columns, (first + index) % g.columns
        here = min(g.columns - column, count - index)
        _fill_range(out + 8 * index, row_of(g, x, line) + shift + column * x.pixel, x.pixel, here)
        index += here
    _repeat(out, count, points)


@inlined
def find_rows(x: int, step: int, count: int, points: int, out: int) -> None:
    """Write the addresses of rows that are ``step`` bytes apart; the last one is repeated."""
    _fill_range(out, x, step, count)
    _repeat(out, count, points)


@inlined
def find_counts(g: Any, least: int, first: int, count: int, points: int, out: int) -> None:
    """Write how many pixels the windows of ``count`` points meet, ``least`` at least, as f32; the last is repeated."""
    found = floats(out, points)
    for index in range(points):
        point = first + min(index, count - 1)
        _, z, y = image_of(g, point // g.columns)
        deep = _inside(z * g.stride_depth - g.begin_depth, g.dilation_depth, g.kernel_depth, g.depth)
        high = _inside(y * g.stride_height - g.begin_height, g.dilation_height, g.kernel_height, g.height)
        x = point % g.columns
        wide = _inside(x * g.stride_width - g.begin_width, g.dilation_width, g.kernel_width, g.width)
        found[index] = max(deep * high * wide, least)


@inlined
def _inside(place: int, step: int, taps: int, size: int) -> int:
    """The number of taps of a window at ``place`` that are inside the image."""
    first = (-place + step - 1) // step if place < 0 else 0
    return max(0, min(taps, (size - 1 - place) // step + 1) - min(first, taps))


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
    if row == 0:
        _fill_range(out, zeros, 0, count)
        return
    if across >= 0 and across + (count - 1) * stride < width:
        _fill_range(out, row + across * step, stride * step, count)
        return
    before = min(count, -(across // stride)) if across < 0 else 0
    inside = max(before, min(count, (width - 1 - across) // stride + 1))
    _fill_range(out, zeros, 0, before)
    _fill_range(out + 8 * before, row + (across + before * stride) * step, stride * step, inside - before)
    _fill_range(out + 8 * inside, zeros, 0, count - inside)


@inlined
def _repeat(out: int, count: int, points: int) -> None:
    """Repeat the last address in the rest of the last tile."""
    values = longs(out, points)
    for i in range(count, points):
        values[i] = values[count - 1]
