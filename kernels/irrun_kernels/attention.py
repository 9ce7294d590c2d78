"""Scaled dot-product attention, head by head: scores never leave the cache."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.conversions import pair_rows, round_pairs
from irrun_kernels.host import LANES
from irrun_kernels.micro import PANEL, ROWS, VECTORS, multiply_rows
from irrun_kernels.native import Read, Write, floats, inlined, kernel, longs, record
from irrun_kernels.pixels import find_rows, move
from irrun_kernels.rows import exponentials, largest, scale
from irrun_kernels.stacks import Matrices, matrix_of, pack_panel

TILE = ROWS[VECTORS]
LARGEST: Final = np.float32(1e15)
"""The largest element for which causal attention skips keys: no score overflows, and 0 times a value is 0."""


class Attention(NamedTuple):
    """Arguments of `attention`. Stacks are those of a batch, matrices those of heads; elements are some bytes apart.

    ``query`` is [batch, heads, queries, depth], ``key`` [batch, heads / shared, keys, depth], ``value`` [batch, heads /
    shared, keys, width], ``out`` [batch, heads, queries, width], ``mask`` [batch, heads, queries, keys] or none. A task
    has some queries of one head. With ``halves``, queries, keys, weights and values are rounded to bf16 before they are
    multiplied; keys are neighbours, or their elements.
    """

    query: Read[Matrices]
    key: Read[Matrices]
    value: Read[Matrices]
    mask: Read[Matrices]
    out: Write[Matrices]
    key_element: int
    mask_element: int
    heads: int
    shared: int
    queries: int
    keys: int
    depth: int
    width: int
    queries_per_task: int
    causal: int
    scale: float
    halves: int


@kernel(Attention)
def attention(arguments: Any, task: int, workspace: int) -> None:
    """softmax(query · keyᵀ * scale + mask) · value for some queries of one head.

    Causal attention skips the keys after the last query of the task, unless their scores or values may be infinite or
    NaN, which hidden keys propagate: inf - inf, and 0 * inf.
    """
    c = record(arguments)
    blocks = -(-c.queries // c.queries_per_task)
    head = task // blocks
    first = task % blocks * c.queries_per_task
    last = min(c.queries, first + c.queries_per_task)
    b, h = head // c.heads, head % c.heads
    query, out = matrix_of(c.query, b, h), matrix_of(c.out, b, h)
    key, value = matrix_of(c.key, b, h // c.shared), matrix_of(c.value, b, h // c.shared)
    skips = False
    if c.causal != 0:
        later = c.keys - first
        skips = (
            is_bounded(query + first * c.query.row, last - first, c.query.row, c.depth, 4)
            and is_bounded(key + first * c.key.row, later, c.key.row, c.depth, c.key_element)
            and is_bounded(value + first * c.value.row, later, c.value.row, c.width, 4)
        )
    keys = min(c.keys, last) if skips else c.keys
    wide = -(-keys // LANES) * LANES
    rows = -(-(last - first) // TILE) * TILE
    depth = -(-c.depth // 2) if c.halves != 0 else c.depth
    left = workspace
    targets = left + 8 * rows
    scores = targets + 8 * rows
    packed = scores + 4 * rows * wide
    rounded = packed + 4 * wide * depth
    if c.halves == 0:
        pack_keys(key, c.key.row, c.key_element, keys, depth, packed)
    elif c.key_element == 4:
        for index in range(keys):
            round_pairs(key + index * c.key.row, c.depth, rounded + 4 * index * depth)
        pack_keys(rounded, 4 * depth, 4, keys, depth, packed)
    else:
        _pack_pairs(key, c.key_element, keys, c.depth, packed)
    lefts = longs(left, rows)
    count = last - first
    find_rows(query + first * c.query.row, c.query.row, count, rows, left)
    if c.halves != 0:
        for index in range(rows):
            lefts[index] = round_pairs(lefts[index], c.depth, rounded + 4 * index * depth)
    find_rows(scores, 4 * wide, count, rows, targets)
    multiply(TILE, c.halves, left, targets, rows, depth, packed, 0, keys, 0)
    for index in range(count):
        row = floats(scores + 4 * index * wide, keys)
        scale(row, np.float32(c.scale))
        seen = min(keys, first + index + 1) if c.causal != 0 else keys
        if not skips:
            for hidden in range(seen, keys):
                row[hidden] -= np.float32(np.inf)
            seen = keys
        if c.mask.start != 0:
            place = matrix_of(c.mask, b, h) + (first + index) * c.mask.row
            add_mask(row, floats(place, (keys - 1) * c.mask_element // 4 + 1), c.mask_element // 4)
        visible = row[:seen]
        _finish(row, seen, np.float32(1) / exponentials(visible, largest(scores + 4 * index * wide, seen)))
        if c.halves != 0:
            round_pairs(scores + 4 * index * wide, keys, scores + 4 * index * wide)
    find_rows(scores, 4 * wide, count, rows, left)
    find_rows(out + first * c.out.row, c.out.row, count, rows, targets)
    step = c.value.row
    if c.halves != 0:
        step = 4 * -(-c.width // LANES) * LANES
        for pair in range(-(-keys // 2)):
            row = value + 2 * pair * c.value.row
            pair_rows(row, row + c.value.row if 2 * pair + 1 < keys else 0, rounded + pair * step, c.width)
        value, keys = rounded, -(-keys // 2)
    multiply(TILE, c.halves, left, targets, rows, keys, value, step, c.width, 0)


@inlined
def is_bounded(start: int, rows: int, row: int, columns: int, element: int) -> bool:
    """Whether elements of f32, ``row`` and ``element`` bytes apart, are at most `LARGEST`, and none is NaN."""
    beyond = 0
    for index in range(rows):
        values = floats(start + index * row, (columns - 1) * element // 4 + 1)
        for column in range(columns):
            beyond += not abs(values[column * element // 4]) <= LARGEST
    return beyond == 0


@inlined
def multiply(
    tile: int, halves: int, left: int, out: int, rows: int, depth: int, panels: int, step: int, columns: int, added: int
) -> None:
    """Rows times a matrix: packed in panels, or with ``step`` bytes between its rows, which are then whole vectors.

    The others are as in `multiply_rows`; ``added`` is 0 or the same as ``out``, whose addresses are moved on.
    """
    for column in range(0, columns, PANEL):
        width = min(columns - column, PANEL)
        panel = panels + 4 * column if step else panels + 4 * column * depth
        panel_step = step if step else 4 * -(-width // LANES) * LANES
        multiply_rows(tile, halves, left, rows, depth, panel, panel_step, out, added, width)
        move(out, rows, 4 * PANEL)


@inlined
def pack_keys(key: int, row: int, element: int, keys: int, depth: int, packed: int) -> None:
    """Keys of f32 or words as panels [depth, columns]; ``row`` and ``element`` are the distances of those in bytes."""
    for column in range(0, keys, PANEL):
        width = min(keys - column, PANEL)
        size = -(-width // LANES) * LANES
        pack_panel(key + column * row, element, row, depth, width, packed + 4 * column * depth, size)


@inlined
def _pack_pairs(key: int, element: int, keys: int, depth: int, packed: int) -> None:
    """Keys that are neighbours, their elements ``element`` bytes apart, as panels of words of two bf16."""
    words = -(-depth // 2)
    for column in range(0, keys, PANEL):
        width = min(keys - column, PANEL)
        size = -(-width // LANES) * LANES
        for k in range(words):
            row = key + 4 * column + 2 * k * element
            upper = row + element if 2 * k + 1 < depth else 0
            pair_rows(row, upper, packed + 4 * (column * words + k * size), width)


@inlined
def add_mask(row: Any, mask: Any, step: int) -> None:
    if step == 1:
        for i in range(len(row)):
            row[i] += mask[i]
    else:
        for i in range(len(row)):
            row[i] += mask[i * step]


@inlined
def _finish(row: Any, seen: int, factor: Any) -> None:
    """Divide by the sum; what a query does not see counts nothing."""
    for i in range(seen):
        row[i] *= factor
    for i in range(seen, len(row)):
        row[i] = np.float32(0)
