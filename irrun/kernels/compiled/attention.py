"""Scaled dot-product attention, head by head: scores never leave the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.compiled.halves import pair_rows, round_pairs
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.micro import PANEL, ROWS, VECTORS, multiply_rows
from irrun.kernels.compiled.native import floats, inlined, kernel, longs, record
from irrun.kernels.compiled.pixels import move
from irrun.kernels.compiled.rows import exponentials, largest
from irrun.kernels.compiled.stacks import pack_panel

TILE = ROWS[VECTORS]


class Attention(NamedTuple):
    """Arguments of `attention`. Strides are in bytes: from batch to batch, head to head, row to row.

    ``query`` is [batch, heads, queries, depth], ``key`` [batch, heads / shared, keys, depth], or with a stride between
    its elements, ``value`` [batch, heads / shared, keys, width], ``out`` [batch, heads, queries, width], ``mask``
    [batch, heads, queries, keys] or 0. A task has some queries of one head. With ``halves``, queries, keys, weights and
    values are rounded to bf16 before they are multiplied; keys are neighbours, or their elements.
    """

    query: int
    key: int
    value: int
    mask: int
    out: int
    batch: int
    heads: int
    shared: int
    queries: int
    keys: int
    depth: int
    width: int
    query_batch: int
    query_head: int
    query_row: int
    key_batch: int
    key_head: int
    key_row: int
    key_element: int
    value_batch: int
    value_head: int
    value_row: int
    out_batch: int
    out_head: int
    out_row: int
    mask_batch: int
    mask_head: int
    mask_row: int
    mask_element: int
    queries_per_task: int
    causal: int
    scale: float
    halves: int


@kernel(Attention)
def attention(arguments: Any, task: int, workspace: int) -> None:
    """softmax(query · keyᵀ * scale + mask) · value for some queries of one head."""
    c = record(arguments)
    blocks = -(-c.queries // c.queries_per_task)
    head = task // blocks
    first = task % blocks * c.queries_per_task
    last = min(c.queries, first + c.queries_per_task)
    b, h = head // c.heads, head % c.heads
    keys = min(c.keys, last) if c.causal != 0 else c.keys
    wide = -(-keys // LANES) * LANES
    rows = -(-(last - first) // TILE) * TILE
    depth = -(-c.depth // 2) if c.halves != 0 else c.depth
    left = workspace
    targets = left + 8 * rows
    scores = targets + 8 * rows
    packed = scores + 4 * rows * wide
    rounded = packed + 4 * wide * depth
    key = c.key + b * c.key_batch + h // c.shared * c.key_head
    if c.halves == 0:
        pack_keys(key, c.key_row, 4 * c.key_element, keys, depth, packed)
    elif c.key_element == 1:
        for index in range(keys):
            round_pairs(key + index * c.key_row, c.depth, rounded + 4 * index * depth)
        pack_keys(rounded, 4 * depth, 4, keys, depth, packed)
    else:
        _pack_pairs(key, 4 * c.key_element, keys, c.depth, packed)
    lefts, outs = longs(left, rows), longs(targets, rows)
    query = c.query + b * c.query_batch + h * c.query_head
    for index in range(rows):
        lefts[index] = query + min(first + index, last - 1) * c.query_row
        if c.halves != 0:
            lefts[index] = round_pairs(lefts[index], c.depth, rounded + 4 * index * depth)
        outs[index] = scores + 4 * min(index, last - first - 1) * wide
    multiply(TILE, c.halves, left, targets, rows, depth, packed, 0, keys, 0)
    for index in range(last - first):
        row = floats(scores + 4 * index * wide, keys)
        seen = min(keys, first + index + 1) if c.causal != 0 else keys
        _scale(row, np.float32(c.scale))
        if c.mask != 0:
            place = c.mask + b * c.mask_batch + h * c.mask_head + (first + index) * c.mask_row
            add_mask(row, floats(place, (keys - 1) * c.mask_element + 1), c.mask_element)
        visible = row[:seen]
        _finish(row, seen, np.float32(1) / exponentials(visible, largest(scores + 4 * index * wide, seen)))
        lefts[index] = scores + 4 * index * wide
        if c.halves != 0:
            round_pairs(lefts[index], keys, lefts[index])
        outs[index] = c.out + b * c.out_batch + h * c.out_head + (first + index) * c.out_row
    for index in range(last - first, rows):
        lefts[index] = lefts[last - first - 1]
        outs[index] = outs[last - first - 1]
    value = c.value + b * c.value_batch + h // c.shared * c.value_head
    step = c.value_row
    if c.halves != 0:
        step = 4 * -(-c.width // LANES) * LANES
        for pair in range(-(-keys // 2)):
            row = value + 2 * pair * c.value_row
            pair_rows(row, row + c.value_row if 2 * pair + 1 < keys else 0, rounded + pair * step, c.width)
        value, keys = rounded, -(-keys // 2)
    multiply(TILE, c.halves, left, targets, rows, keys, value, step, c.width, 0)


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
def _scale(row: Any, factor: Any) -> None:
    for i in range(len(row)):
        row[i] *= factor


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
