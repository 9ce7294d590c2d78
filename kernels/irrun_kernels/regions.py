"""Regions of images, pooled to a fixed size over bilinear samples."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.functions import ONE, ZERO, divide, fill
from irrun_kernels.native import Address, Read, Write, floats, inlined, kernel, longs, record, scalar, strict

_FARTHEST: Final = np.float32(2**31)
"""Coordinates from which on a place is in no image."""


class Regions(NamedTuple):
    """Arguments of `pool_regions`.

    ``x`` is [images, height, width, channels] and ``out`` [regions, rows, columns, channels], both contiguous.
    ``boxes`` are [regions, 4], two corners x and y each, ``batches`` the numbers of their images, i64.

    A coordinate c becomes (c + before) * scale - after; sides are not shorter than ``least``. Each bin has ``ratio``
    samples along each axis, or about one for each pixel where that is 0, and is the mean of them. ``misfit`` is the
    address of a number that becomes 1 where there is no such image or place.
    """

    x: Read[Address]
    boxes: Read[Address]
    batches: Read[Address]
    out: Write[Address]
    misfit: Write[Address]
    images: int
    height: int
    width: int
    channels: int
    regions: int
    rows: int
    columns: int
    ratio: int
    lines_per_task: int
    before: float
    scale: float
    after: float
    least: float


@kernel(Regions)
def pool_regions(arguments: Any, task: int, workspace: int) -> None:
    """Some rows of bins of all regions."""
    c = record(arguments)
    for line in range(task * c.lines_per_task, min(c.regions * c.rows, (task + 1) * c.lines_per_task)):
        region, row = line // c.rows, line % c.rows
        box, image = floats(c.boxes + 16 * region, 4), longs(c.batches + 8 * region, 1)[0]
        out = c.out + 4 * line * c.columns * c.channels
        fill(floats(out, c.columns * c.channels), ZERO)
        if 0 <= image < c.images and _is_somewhere(box):
            _pool(c, box, c.x + 4 * image * c.height * c.width * c.channels, row, out)
        else:
            longs(c.misfit, 1)[0] = 1


@inlined
def _is_somewhere(box: Any) -> bool:
    found = True
    for i in range(len(box)):
        found = found and abs(box[i]) < _FARTHEST
    return found


@inlined
def _pool(c: Any, box: Any, image: int, row: int, out: int) -> None:
    """Pool a row of bins of a region."""
    before, scale, after, least = np.float32(c.before), np.float32(c.scale), np.float32(c.after), np.float32(c.least)
    top, bin_height, high = _side(box[1], box[3], before, scale, after, least, c.rows, c.ratio)
    left, bin_width, wide = _side(box[0], box[2], before, scale, after, least, c.columns, c.ratio)
    for i in range(high):
        y = _place(top, bin_height, row, i, high)
        if y < -ONE or y > np.float32(c.height):
            continue
        above, below, down = _around(y, c.height)
        upper, lower = image + 4 * above * c.width * c.channels, image + 4 * below * c.width * c.channels
        for column in range(c.columns):
            bin = floats(out + 4 * column * c.channels, c.channels)
            for j in range(wide):
                x = _place(left, bin_width, column, j, wide)
                if x < -ONE or x > np.float32(c.width):
                    continue
                first, second, right = _around(x, c.width)
                first, second = 4 * first * c.channels, 4 * second * c.channels
                _add_sample(
                    floats(upper + first, c.channels),
                    floats(upper + second, c.channels),
                    floats(lower + first, c.channels),
                    floats(lower + second, c.channels),
                    right,
                    down,
                    bin,
                )
    if high * wide > 1:
        divide(floats(out, c.columns * c.channels), np.float32(high * wide))


@strict
def _side(
    begin: Any, end: Any, before: Any, scale: Any, after: Any, least: Any, bins: int, ratio: int
) -> tuple[Any, Any, int]:
    """The beginning of a side of a region, the size of a bin, and the number of samples in it."""
    start = (begin + before) * scale - after
    size = (end + before) * scale - after - start
    each = (least if size < least else size) / np.float32(bins)
    return start, each, ratio if ratio > 0 else max(int(np.ceil(each)), 0)


@strict
def _place(start: Any, size: Any, bin: int, number: int, count: int) -> Any:
    """The coordinate of a sample."""
    step = size / np.float32(count)
    return start + np.float32(bin) * size + (np.float32(number) + np.float32(0.5)) * step


@inlined
def _around(place: Any, size: int) -> tuple[int, int, Any]:
    """The pixels before and after a place, and its distance from the one before."""
    inside = min(max(place, ZERO), np.float32(size - 1))
    low = int(inside)
    return low, int(np.ceil(inside)), inside - np.float32(low)


@inlined
def _add_sample(a: Any, b: Any, c: Any, d: Any, right: Any, down: Any, bin: Any) -> None:
    """Add a sample between four pixels to a bin."""
    for i in range(len(bin)):
        bin[i] += _between(a[i], b[i], c[i], d[i], right, down)


@scalar
def _between(a: Any, b: Any, c: Any, d: Any, right: Any, down: Any) -> Any:
    """The number between those of four pixels."""
    return (a * (ONE - right) + b * right) * (ONE - down) + (c * (ONE - right) + d * right) * down
