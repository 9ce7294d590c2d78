"""Kernels that slide windows over images whose channels are neighbours in memory, channel by channel.

The pixels that windows meet are given by their addresses, as in products: rows of results are not told apart.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.epilogue import Epilogue, Rows, activate_points, find_results
from irrun_kernels.functions import RUN
from irrun_kernels.host import LANES
from irrun_kernels.native import NOWHERE, Address, Read, inlined, kernel, record
from irrun_kernels.pixels import Images, ImageWindows, find_counts, find_left, moved, points_of, taps_of
from irrun_kernels.reduction import (
    ADD,
    BYTE_PIXELS,
    LARGEST,
    MULTIPLY_BF16,
    PIXELS,
    POINTS,
    SUM,
    VECTORS,
    reduce_bytes,
    reduce_points,
)

_ADDRESSES: Final = 2048
"""Addresses of pixels that are written at a time: they stay in the nearest cache."""


def points_at_once(taps: int) -> int:
    """The points for which addresses are written at a time."""
    return max(POINTS, _ADDRESSES // taps // POINTS * POINTS)


def workspace_of(taps: int, row: int) -> int:
    """The bytes of workspace: `RUN` f32; for each point at once addresses, a divisor, and ``row`` bytes."""
    return 4 * RUN + points_at_once(taps) * (8 * (taps + 3) + 4 + row)


class Windows(NamedTuple):
    """Arguments of `windows` and `byte_windows`; 0 stands for no array.

    ``kind`` is one of `reduction`. All images have the same ``channels``; ``zeros`` is the pixel outside of them, which
    changes no result. ``weights`` are [taps, channels] with room for whole vectors, as has the bias; those of bytes are
    i16. A task has some points of the result, which are computed some at once; without a function, it has one of so
    many ``parts`` of their channels. Means are of the elements inside, but of ``least`` at least.
    """

    x: Read[Images]
    geometry: ImageWindows
    channels: int
    zeros: Read[Address]
    points_per_task: int
    at_once: int
    parts: int = 1
    kind: int = 0
    weights: Read[Address] = NOWHERE
    weights_row: int = 0
    epilogue: Epilogue = Epilogue()
    least: int = 0


class Points(NamedTuple):
    """Some points of a result: for how many there are addresses; these, and divisors."""

    places: int
    taps: int
    left: int
    results: Rows
    divisors: int


@kernel(Windows)
def windows(arguments: Any, task: int, workspace: int) -> None:
    """Some points of the result: depthwise convolution with its epilogue, or pooling.

    Workspace takes `workspace_of` bytes, with rows of results where a function has no ``out``.
    """
    c = record(arguments)
    _slide(c, task, workspace, PIXELS, c.kind, _reduce_floats)


@kernel(Windows)
def byte_windows(arguments: Any, task: int, workspace: int) -> None:
    """The same of bytes."""
    c = record(arguments)
    _slide(c, task, workspace, BYTE_PIXELS, LARGEST if c.weights == 0 else SUM, _reduce_bytes)


@inlined
def _slide(c: Any, task: int, workspace: int, pixels: Any, kind: int, reduce: Any) -> None:
    """Reduce windows, ``pixels`` at a time by the number of vectors.

    Points that are left are repeated in another block, or few reduced one by one.
    """
    g, e = c.geometry, c.epilogue
    vectors, part, taps = -(-c.channels // LANES), task % c.parts, taps_of(g)
    begin, stop = vectors * part // c.parts, vectors * (part + 1) // c.parts
    each = -(-(stop - begin) // -(-(stop - begin) // VECTORS))
    room = c.at_once
    left = workspace + 4 * RUN
    divisors = left + 8 * (taps + 3) * room
    sums = divisors + 4 * room if e.function >= 0 else 0
    first = task // c.parts * c.points_per_task
    last = min(points_of(g), first + c.points_per_task)
    for start in range(first, last, room):
        count = min(room, last - start)
        places = -(-count // POINTS) * POINTS
        find_left(g, c.x, 0, c.zeros, start, count, places, left)
        results = find_results(e, g, 0, start, count, places, sums, left + 8 * taps * room)
        if c.kind == ADD:
            find_counts(g, c.least, start, count, places, divisors)
        points = Points(places, taps, left, results, divisors)
        for vector in range(begin, stop, each):
            wide = min(each, stop - vector)
            most = pixels[wide]
            blocks = count // most + (1 if 3 * (count % most) > 2 * most else 0)
            reduce(c, points, 0, (kind, most, wide, blocks), LANES * vector)
            rest = count - blocks * most
            if rest > 0:
                reduce(c, points, blocks * most, (kind, 1, wide, rest), LANES * vector)
        if e.function >= 0:
            activate_points(e, results, count, 0, c.channels, workspace)


@inlined
def _reduce_floats(c: Any, points: Any, point: int, blocks: Any, channel: int) -> None:
    """Reduce some channels of windows over f32 or bf16."""
    e, results, place, at = c.epilogue, points.results, 4 * channel, 8 * point
    reduce_points(
        blocks,
        (points.left + at, 8 * points.places, (2 if c.kind == MULTIPLY_BF16 else 4) * channel),
        points.taps,
        (c.weights + place, c.weights_row),
        moved(e.bias, place),
        (moved(results.summand, at), place),
        (moved(results.out, at), place),
        (moved(results.rounded, at) if e.function < 0 else 0, 2 * channel),
        c.channels - channel,
        points.divisors + 4 * point,
        np.float32(e.low),
        np.float32(e.high),
    )


@inlined
def _reduce_bytes(c: Any, points: Any, point: int, blocks: Any, channel: int) -> None:
    """Reduce some channels of windows over bytes."""
    e, results, sides, place, at = c.epilogue, points.results, c.epilogue.integers, 4 * channel, 8 * point
    summand = moved(results.summand, at)
    reduce_bytes(
        blocks,
        (points.left + at, 8 * points.places, channel),
        points.taps,
        (c.weights + 2 * channel, c.weights_row),
        (sides.factors + place, sides.biases + place, sides.starts + place),
        c.channels - channel,
        sides.numbers,
        (
            summand if sides.summand_size == 4 else 0,
            summand if sides.summand_size == 1 else 0,
            sides.summand_size * channel,
        ),
        (moved(results.out, at), place),
        (moved(results.rounded, at) if e.function < 0 else 0, channel),
    )
