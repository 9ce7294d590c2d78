"""The addresses of the rows of products: of the pixels that each tap of a kernel meets, and of the results."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from irrun_kernels.native import NOWHERE, Address, floats, inlined, longs


class Images(NamedTuple):
    """The address of the first pixel of images, 0 for none, and the bytes between images, planes, rows and pixels."""

    start: Address = NOWHERE
    image: int = 0
    plane: int = 0
    row: int = 0
    pixel: int = 0


Three = Annotated[tuple[int, ...], 3]
"""A number for each spatial axis: depth, height and width."""


class ImageWindows(NamedTuple):
    """Windows over images [images, *sizes, ...], whose results are [images, *counts, ...].

    The rows of a matrix are the pixels of one image with one row.
    """

    taps: Three = (1, 1, 1)
    strides: Three = (1, 1, 1)
    dilations: Three = (1, 1, 1)
    begins: Three = (0, 0, 0)
    images: int = 1
    counts: Three = (1, 1, 1)
    sizes: Three = (1, 1, 1)


@inlined
def taps_of(g: Any) -> Any:
    """The number of taps of a window."""
    return g.taps[0] * g.taps[1] * g.taps[2]


@inlined
def points_of(g: Any) -> Any:
    """The number of results."""
    return g.images * g.counts[0] * g.counts[1] * g.counts[2]


@inlined
def image_of(g: Any, line: int) -> tuple[int, int, int]:
    """The image, the plane and the row of a row of the results, by its number."""
    return line // (g.counts[0] * g.counts[1]), line // g.counts[1] % g.counts[0], line % g.counts[1]


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
        line, column = (first + index) // g.counts[2], (first + index) % g.counts[2]
        image, z, y = image_of(g, line)
        here = min(g.counts[2] - column, count - index)
        place = out + 8 * index
        for kz in range(g.taps[0]):
            back = z * g.strides[0] + kz * g.dilations[0] - g.begins[0]
            plane = x.start + shift + image * x.image + back * x.plane if 0 <= back < g.sizes[0] else 0
            for ky in range(g.taps[1]):
                down = y * g.strides[1] + ky * g.dilations[1] - g.begins[1]
                row = plane + down * x.row if plane != 0 and 0 <= down < g.sizes[1] else 0
                for kx in range(g.taps[2]):
                    across = column * g.strides[2] + kx * g.dilations[2] - g.begins[2]
                    _find_pixels(place, row, across, g.strides[2], g.sizes[2], x.pixel, zeros, here)
                    place += 8 * points
        index += here
    for tap in range(taps_of(g)):
        _repeat(out + 8 * points * tap, count, points)


@inlined
def find_points(g: Any, x: Any, shift: int, first: int, count: int, points: int, out: int) -> None:
    """Write the addresses of ``count`` points of `Images`, ``shift`` bytes further; the last one is repeated."""
    index = 0
    while index < count:
        line, column = (first + index) // g.counts[2], (first + index) % g.counts[2]
        here = min(g.counts[2] - column, count - index)
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
        _, z, y = image_of(g, point // g.counts[2])
        found[index] = max(_inside(g, 0, z) * _inside(g, 1, y) * _inside(g, 2, point % g.counts[2]), least)


@inlined
def _inside(g: Any, axis: int, result: int) -> Any:
    """The number of taps along an axis that are inside the image."""
    place, step, taps = result * g.strides[axis] - g.begins[axis], g.dilations[axis], g.taps[axis]
    first = (-place + step - 1) // step if place < 0 else 0
    return max(0, min(taps, (g.sizes[axis] - 1 - place) // step + 1) - min(first, taps))


@inlined
def move(addresses: int, count: int, bytes: int) -> None:
    """Add to addresses."""
    values = longs(addresses, count)
    for index in range(count):
        values[index] += bytes


@inlined
def moved(address: int, bytes: int) -> int:
    """An address some bytes further; 0 stands for no array."""
    return address + bytes if address != 0 else 0


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
