"""Attention over keys and values in a cache that grows from run to run.

Where such arrays are, and how long, is known only when a run begins. Kernels find it in a row of `LATE` numbers: the
address, four sizes, and four strides in bytes, which are 0 for axes of size 1.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.attention import TILE, add_mask, multiply, pack_keys
from irrun_kernels.functions import assign, exp, fill
from irrun_kernels.native import Address, Read, Write, floats, inlined, kernel, longs, record, summing
from irrun_kernels.pixels import find_rows
from irrun_kernels.rows import exponentials, largest, scale, total
from irrun_kernels.stacks import Matrices, matrix_of

LATE: Final = 9

KEYS: Final = 256
"""Keys that are looked at at a time."""

FEW: Final = 4
"""Queries of a task up to which keys are not packed."""


class Append(NamedTuple):
    """Arguments of `append`: an array with four axes, whose last one has no gaps, and the row of a late array.

    ``axis`` is one of the first three.
    """

    x: Read[Matrices]
    array: Write[Address]
    axis: int
    size_0: int
    size_1: int
    size_2: int
    size_3: int


@kernel(Append)
def append(arguments: Any, task: int, workspace: int) -> None:
    """Write x to the end of an array."""
    c = record(arguments)
    late = longs(c.array, LATE)
    size = c.size_0 if c.axis == 0 else c.size_1 if c.axis == 1 else c.size_2
    begin = late[0] + (late[1 + c.axis] - size) * late[5 + c.axis]
    for i in range(c.size_0):
        for j in range(c.size_1):
            for k in range(c.size_2):
                source = floats(matrix_of(c.x, i, j) + k * c.x.row, c.size_3)
                assign(floats(begin + i * late[5] + j * late[6] + k * late[7], c.size_3), source)


class CachedAttention(NamedTuple):
    """Arguments of `cached_attention`. Stacks are those of a batch, matrices those of heads.

    ``query`` is [batch, heads, queries, depth], ``out`` [batch, heads, queries, width]. ``key``, ``value`` and ``mask``
    are rows: of arrays [batch, heads / shared, keys, depth] and [batch, heads / shared, keys, width] whose last axes
    have no gaps, and of one that broadcasts to [batch, heads, queries, keys], or 0. The width is whole vectors.
    """

    query: Read[Matrices]
    key: Read[Address]
    value: Read[Address]
    mask: Read[Address]
    out: Write[Matrices]
    heads: int
    shared: int
    queries: int
    depth: int
    width: int
    queries_per_task: int
    scale: float


def workspace_of(queries: int, depth: int) -> int:
    """The bytes of workspace of a task."""
    rows = -(-queries // TILE) * TILE
    return 24 * rows + 4 * rows * KEYS + 4 * KEYS * depth


@kernel(CachedAttention)
def cached_attention(arguments: Any, task: int, workspace: int) -> None:
    """softmax(query · keyᵀ * scale + mask) · value for some queries of one head, some keys at a time."""
    c = record(arguments)
    key, value = longs(c.key, LATE), longs(c.value, LATE)
    mask = longs(c.mask if c.mask != 0 else c.key, LATE)
    blocks = -(-c.queries // c.queries_per_task)
    b, h = task // blocks // c.heads, task // blocks % c.heads
    first = task % blocks * c.queries_per_task
    count = min(c.queries - first, c.queries_per_task)
    tile = 1 if count <= FEW else TILE
    rows = -(-count // tile) * tile
    left, targets = workspace, workspace + 8 * rows
    peaks, totals = floats(targets + 8 * rows, count), floats(targets + 12 * rows, count)
    scores = targets + 16 * rows
    packed = scores + 4 * rows * KEYS
    query = matrix_of(c.query, b, h) + first * c.query.row
    out = matrix_of(c.out, b, h) + first * c.out.row
    keys_of_head = key[0] + b * key[5] + h // c.shared * key[6]
    values_of_head = value[0] + b * value[5] + h // c.shared * value[6]
    keys = key[3]
    for index in range(count):
        peaks[index], totals[index] = np.float32(-np.inf), np.float32(0)
        fill(floats(out + index * c.out.row, c.width), np.float32(0))
    for begin in range(0, keys, KEYS):
        width = min(KEYS, keys - begin)
        source = keys_of_head + begin * key[7]
        if tile == 1:
            for index in range(count):
                row = floats(scores + 4 * index * KEYS, width)
                _products(floats(query + index * c.query.row, c.depth), source, key[7], row)
        else:
            pack_keys(source, key[7], 4, width, c.depth, packed)
            find_rows(query, c.query.row, count, rows, left)
            find_rows(scores, 4 * KEYS, count, rows, targets)
            multiply(tile, 0, left, targets, rows, c.depth, packed, 0, width, 0)
        for index in range(count):
            row = floats(scores + 4 * index * KEYS, width)
            scale(row, np.float32(c.scale))
            if c.mask != 0:
                step = mask[8] // 4
                place = mask[0] + b * mask[5] + h * mask[6] + (first + index) * mask[7] + begin * mask[8]
                add_mask(row, floats(place, (width - 1) * step + 1), step)
            _merge(scores + 4 * index * KEYS, width, index, peaks, totals, floats(out + index * c.out.row, c.width))
        find_rows(scores, 4 * KEYS, count, rows, left)
        find_rows(out, c.out.row, count, rows, targets)
        values = values_of_head + begin * value[7]
        multiply(tile, 0, left, targets, rows, width, values, value[7], c.width, targets)
    for index in range(count):
        if keys > 0:
            scale(floats(out + index * c.out.row, c.width), np.float32(1) / totals[index])


@inlined
def _merge(place: int, count: int, index: int, peaks: Any, totals: Any, out: Any) -> None:
    """Replace scores by exponentials, and scale what there is of the result to the same peak."""
    row, peak = floats(place, count), largest(place, count)
    if peak > peaks[index]:
        factor = exp(peaks[index] - peak)
        peaks[index] = peak
        totals[index] *= factor
        scale(out, factor)
    if peaks[index] == np.float32(-np.inf) and total(row) == peaks[index]:
        # All of these keys are hidden, and all before them; none is NaN.
        fill(row, np.float32(0))
    else:
        totals[index] += exponentials(row, peaks[index])


@inlined
def _products(query: Any, key: int, step: int, out: Any) -> None:
    for index in range(len(out)):
        out[index] = _product(query, floats(key + index * step, len(query)))


@summing
def _product(a: Any, b: Any) -> Any:
    result = np.float32(0)
    for i in range(len(a)):
        result += a[i] * b[i]
    return result
