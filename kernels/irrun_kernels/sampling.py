"""Weighted sums of elements that tables choose: interpolation along an axis, and samples at the places of a grid."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.functions import floor, rint
from irrun_kernels.host import LANES
from irrun_kernels.native import Address, Read, Write, floats, inlined, intrinsic, kernel, longs, record
from irrun_kernels.vectors import Vectors

_VECTORS: Final = 4
"""Vectors of columns that are summed at a time."""


class Samples(NamedTuple):
    """Arguments of `sample`: ``x`` [stacks, size, columns] and ``out`` [stacks, results, columns] are contiguous.

    ``places`` and ``weights`` are [taps, results] of i64 and f32, those of the next stack ``next_table`` elements
    further. A tap with a negative place is left out. A task has some rows of the result.
    """

    x: Read[Address]
    out: Write[Address]
    places: Read[Address]
    weights: Read[Address]
    stacks: int
    size: int
    columns: int
    results: int
    taps: int
    next_table: int
    rows_per_task: int


@kernel(Samples)
def sample(arguments: Any, task: int, workspace: int) -> None:
    """The sum of the elements that each result is made of, times their weights."""
    c = record(arguments)
    first = task * c.rows_per_task
    last = min(c.stacks * c.results, first + c.rows_per_task)
    while first < last:
        stack, begin = first // c.results, first % c.results
        count = min(last - first, c.results - begin)
        table = stack * c.next_table + begin
        x = c.x + 4 * stack * c.size * c.columns
        out = c.out + 4 * first * c.columns
        places, weights = c.places + 8 * table, c.weights + 4 * table
        for row in range(count):
            target = out + 4 * row * c.columns
            _mix(c.taps, places + 8 * row, weights + 4 * row, c.results, x, target, c.columns)
        first += count


@intrinsic("void", *["int64"] * 7)
def _mix(v: Vectors, taps: Any, places: Any, weights: Any, step: Any, x: Any, out: Any, columns: Any) -> None:
    """Write the weighted sum of rows of ``columns`` f32, whose places and weights are ``step`` elements apart."""
    builder = v.builder
    row = builder.mul(columns, v.constant(4))

    def block(first: Any, count: int, mask: Any) -> None:
        totals = [v.variable(v.every(0.0)) for _ in range(count)]
        offset = builder.mul(first, v.constant(4))
        with v.times(taps) as tap:
            at = builder.mul(tap, step)
            place = v.load_long(builder.add(places, builder.mul(at, v.constant(8))), 0)
            with builder.if_then(builder.icmp_signed(">=", place, v.constant(0))):
                factor = builder.load(
                    v.pointer(builder.add(weights, builder.mul(at, v.constant(4))), 0, v.float), align=4
                )
                source = builder.add(builder.add(x, builder.mul(place, row)), offset)
                for number, total in enumerate(totals):
                    value = v.multiply_add(v.load(source, number, mask), v.splat(factor), builder.load(total))
                    builder.store(value, total)
        for number, total in enumerate(totals):
            v.store(builder.load(total), builder.add(out, offset), number, mask)

    each = _VECTORS * LANES
    whole = builder.udiv(columns, v.constant(each))
    with v.times(whole) as number:
        block(builder.mul(number, v.constant(each)), _VECTORS, None)
    done = builder.mul(whole, v.constant(each))
    rest = builder.sub(columns, done)
    with v.times(builder.udiv(rest, v.constant(LANES))) as number:
        block(builder.add(done, builder.mul(number, v.constant(LANES))), 1, None)
    partial = builder.urem(rest, v.constant(LANES))
    with builder.if_then(v.is_given(partial)):
        block(builder.sub(columns, partial), 1, v.mask(partial))


NEAREST, BILINEAR = 1, 2
"""Taps along each axis, which tell the kinds of interpolation."""


class Grid(NamedTuple):
    """Arguments of `locate_samples`: a contiguous ``grid`` [images, points, 2] of places x and y from -1 to 1.

    ``places`` and ``weights`` are [images, taps * taps, points], for images of ``height`` rows. Outside of these are
    zeros, or with ``has_border`` the border. A task has some points.
    """

    grid: Read[Address]
    places: Write[Address]
    weights: Write[Address]
    images: int
    points: int
    height: int
    width: int
    taps: int
    has_border: int
    align_corners: int
    points_per_task: int


@kernel(Grid)
def locate_samples(arguments: Any, task: int, workspace: int) -> None:
    """The places and weights of the elements around the places of a grid."""
    c = record(arguments)
    across, down = floats(workspace, 2), floats(workspace + 8, 2)
    table = c.taps * c.taps * c.points
    grid = floats(c.grid, 2 * c.images * c.points)
    for number in range(task * c.points_per_task, min(c.images * c.points, (task + 1) * c.points_per_task)):
        image, point = number // c.points, number % c.points
        places, weights = longs(c.places + 8 * image * table, table), floats(c.weights + 4 * image * table, table)
        left = _weigh(_scaled(grid[2 * number], c.width, c.align_corners), c.taps, across)
        top = _weigh(_scaled(grid[2 * number + 1], c.height, c.align_corners), c.taps, down)
        for i in range(c.taps):
            row = min(max(top + i, 0), c.height - 1)
            for j in range(c.taps):
                column = min(max(left + j, 0), c.width - 1)
                weight = down[i] * across[j]
                is_left_out = c.has_border == 0 and (row != top + i or column != left + j) and weight == weight
                place = (i * c.taps + j) * c.points + point
                places[place] = -1 if is_left_out else row * c.width + column
                weights[place] = weight


@inlined
def _scaled(place: Any, size: int, align_corners: int) -> Any:
    """Map a place from -1 to 1 to elements 0 to ``size`` - 1; each operation is rounded by itself."""
    shifted = np.float64(np.float32(place + np.float32(1)))
    if align_corners != 0:
        return np.float32(shifted * (size - 1)) * np.float32(0.5)
    return (np.float32(shifted * size) - np.float32(1)) * np.float32(0.5)


@inlined
def _weigh(place: Any, taps: int, weights: Any) -> int:
    """Write the weights of the elements around a place; returns the first of these."""
    if taps == NEAREST:
        weights[0] = 1
        return _whole(rint(place))
    base = floor(place)
    fraction = place - base
    weights[0], weights[1] = np.float32(1) - fraction, fraction
    return _whole(base)


_FAR: Final = np.float32(2.0**40)


@inlined
def _whole(place: Any) -> int:
    """An integer; NaN is far outside of the image, as are places that are too large."""
    if place > _FAR:
        return 1 << 40
    return int(place) if place > -_FAR else -(1 << 40)
