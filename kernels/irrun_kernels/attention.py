"""Scaled dot-product attention: an online softmax over blocks of keys, whose scores never leave the cache."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.conversions import interleave_rows, round_row_to_bf16
from irrun_kernels.functions import assign, fill
from irrun_kernels.host import LANES
from irrun_kernels.micro import PANEL, ROWS, VECTORS, multiply_panels
from irrun_kernels.native import NOWHERE, Address, Read, Write, floats, inlined, kernel, longs, record, summing
from irrun_kernels.pixels import find_rows
from irrun_kernels.rows import scale
from irrun_kernels.scores import (
    ADDED,
    begin_softmax,
    change_scores,
    divide,
    find_places,
    is_bounded,
    row_of,
    start_of,
    weigh,
)
from irrun_kernels.stacks import Matrices, pack_panel

TILE: Final = ROWS[VECTORS]

KEYS: Final = 256
"""Keys of a block, at most, of f32."""

MOST_ROWS: Final = 192
"""Rows of scores that are computed at a time, at most."""

FEW: Final = 4
"""Queries up to which keys are not packed."""


class Attention(NamedTuple):
    """Arguments of `attention`.

    ``query`` is [..., groups * shared, queries, depth], ``key`` [..., groups, keys, depth], ``value`` [..., groups,
    keys, width], ``out`` [..., groups * shared, queries, width] without gaps in its rows. ``bias``, of f32, and
    ``mask``, in the form ``mask_form`` with the number ``filling``, change scores [..., groups * shared, queries,
    keys]. ``sink`` [..., groups * shared, queries, 1] is a further score without a value. ``scale`` is multiplied by
    the f32 at ``factor``, if there is one. Unless ``cap`` is 0, scores become cap * tanh(score) before bias and mask.
    With ``guarded``, weights that are NaN are 0.

    ``stacks`` are those of a stack of stacks. ``parts`` are the tasks of the heads that share keys, ``block`` is the
    number of keys in a block, in whole vectors.

    With ``bf16``, queries, keys, weights and values are rounded to bf16 before they are multiplied; all keys are one
    block then, so that weights are divided by their sum before they are rounded.
    """

    query: Read[Matrices]
    out: Write[Matrices]
    stacks: int
    groups: int
    shared: int
    queries: int
    keys: int
    depth: int
    width: int
    block: int
    parts: int
    causal: int
    guarded: int
    bf16: int
    scale: float
    cap: float
    filling: float
    key: Read[Matrices] = Matrices()
    value: Read[Matrices] = Matrices()
    mask: Read[Matrices] = Matrices()
    bias: Read[Matrices] = Matrices()
    sink: Read[Matrices] = Matrices()
    factor: Read[Address] = NOWHERE
    mask_form: int = ADDED


def workspace_of(rows: int, depth: int, width: int, block: int) -> int:
    """The bytes of workspace that a task with ``rows`` rows of scores needs."""
    rows = -(-min(rows, MOST_ROWS) // TILE) * TILE
    wide = -(-width // LANES) * LANES
    return 48 * rows + 4 * rows * (depth + block) + 4 * block * (depth + wide) + 4 * PANEL


@kernel(Attention)
def attention(arguments: Any, task: int, workspace: int) -> None:
    """softmax(query · keyᵀ * scale + bias + mask) · value for some queries of the heads that share keys."""
    c = record(arguments)
    rows = c.shared * c.queries
    each = -(-rows // c.parts)
    first = task % c.parts * each
    last = min(rows, first + each)
    stack, group = task // c.parts // c.groups, task // c.parts % c.groups
    chunks = -(-each // MOST_ROWS)
    step = -(-each // (max(chunks, 1) * TILE)) * TILE
    for begin in range(first, last, max(step, 1)):
        _attend_rows(c, stack, group, begin, min(step, last - begin), workspace)


@inlined
def _attend_rows(c: Any, stack: int, group: int, first: int, count: int, workspace: int) -> None:
    """Attention of ``count`` rows of a group, which are the queries of one head after those of another."""
    tile = 1 if count == 1 else TILE
    rows = -(-count // tile) * tile
    places, left, targets, results = workspace, workspace + 16 * rows, workspace + 24 * rows, workspace + 32 * rows
    peaks, totals = floats(workspace + 40 * rows, count), floats(workspace + 44 * rows, count)
    query = workspace + 48 * rows
    scores = query + 4 * rows * c.depth
    packed_keys = scores + 4 * rows * c.block
    packed_values = packed_keys + 4 * c.block * c.depth
    factor = np.float32(c.scale)
    if c.factor != 0:
        factor *= floats(c.factor, 1)[0]
    find_places(c, group * c.shared + first // c.queries, first % c.queries, count, rows, places)
    addresses, start = longs(results, rows), start_of(c, c.out, stack)
    for index in range(rows):
        addresses[index] = row_of(c.out, start, places, index)
    keys = start_of(c, c.key, stack) + group * c.key.matrix
    values = start_of(c, c.value, stack) + group * c.value.matrix
    _copy_queries(c, stack, places, count, factor, query)
    end, last = c.keys, min(c.queries, first % c.queries + count)
    if c.causal != 0 and last < c.keys and is_bounded(query, count, 4 * c.depth, c.depth, 4):
        later, key, value = c.keys - last, keys + last * c.key.row, values + last * c.value.row
        # Hidden keys propagate what is infinite or NaN: their scores may be inf - inf, and 0 * inf is added to results.
        if is_bounded(key, later, c.key.row, c.depth, c.key.element) and is_bounded(
            value, later, c.value.row, c.width, c.value.element
        ):
            end = last
    if c.bf16 != 0:
        for index in range(count):
            round_row_to_bf16(query + 4 * index * c.depth, c.depth, query + 4 * index * c.depth)
    begin_softmax(c, stack, places, peaks, totals)
    for begin in range(0, end, c.block):
        width = min(c.block, end - begin)
        source = keys + begin * c.key.row
        if count <= FEW and c.key.element == 4 and c.bf16 == 0:
            for index in range(count):
                row = floats(scores + 4 * index * c.block, width)
                _products(floats(query + 4 * index * c.depth, c.depth), source, c.key.row, row)
        else:
            depth = _pack_keys(c, source, width, packed_keys)
            find_rows(query, 4 * c.depth, count, rows, left)
            find_rows(scores, 4 * c.block, count, rows, targets)
            multiply_panels(tile, VECTORS, c.bf16, left, rows, depth, packed_keys, 0, targets, 0, width)
        change_scores(c, stack, places, count, begin, width, factor, scores)
        weigh(c, begin, width, scores, peaks, totals, results)
        source, step = values + begin * c.value.row, c.value.row
        if c.value.element != 4 or c.width % LANES != 0:
            step = 4 * -(-c.width // LANES) * LANES
            pack_panel(source, c.value.row, c.value.element, width, c.width, packed_values, step // 4)
            source = packed_values
        if c.bf16 != 0:
            width = _pair(source, step, width, packed_values, -(-c.width // LANES) * LANES)
            source, step = packed_values, 4 * -(-c.width // LANES) * LANES
        find_rows(scores, 4 * c.block, count, rows, left)
        before = results if begin != 0 else 0
        multiply_panels(tile, VECTORS, c.bf16, left, rows, width, source, step, results, before, c.width)
    for index in range(count):
        row = floats(addresses[index], c.width)
        if c.keys == 0:
            fill(row, np.float32(0))
        elif c.bf16 == 0:
            divide(row, totals[index], c.guarded)


@inlined
def _copy_queries(c: Any, stack: int, places: int, count: int, factor: Any, out: int) -> None:
    """Copy rows of queries, multiplied by the factor unless they are to be rounded."""
    start = start_of(c, c.query, stack)
    for index in range(count):
        x = row_of(c.query, start, places, index)
        row = floats(out + 4 * index * c.depth, c.depth)
        if c.query.element == 4:
            assign(row, floats(x, c.depth))
        else:
            for i in range(c.depth):
                row[i] = floats(x + i * c.query.element, 1)[0]
        if c.bf16 == 0:
            scale(row, factor)


@inlined
def _pack_keys(c: Any, key: int, keys: int, packed: int) -> int:
    """Write keys as panels [depth, columns] of f32 or of words of two bf16; returns the depth."""
    depth: int = -(-c.depth // 2) if c.bf16 != 0 else c.depth
    for column in range(0, keys, PANEL):
        width = min(keys - column, PANEL)
        size = -(-width // LANES) * LANES
        source, panel = key + column * c.key.row, packed + 4 * column * depth
        whole = packed + 4 * column * c.depth
        if c.bf16 == 0:
            pack_panel(source, c.key.element, c.key.row, depth, width, panel, size)
        elif c.key.element == 4:
            pairs = whole + 4 * size * depth
            for index in range(width):
                round_row_to_bf16(source + index * c.key.row, c.depth, pairs + 4 * index * depth)
            pack_panel(pairs, 4, 4 * depth, depth, width, panel, size)
        else:
            pack_panel(source, c.key.element, c.key.row, c.depth, width, whole, size)
            _pair(whole, 4 * size, c.depth, panel, size)
    return depth


@inlined
def _pair(x: int, step: int, rows: int, out: int, columns: int) -> int:
    """Write rows of f32 as half as many rows of words of two bf16, without gaps; ``out`` may be ``x``."""
    pairs = -(-rows // 2)
    for pair in range(pairs):
        row = x + 2 * pair * step
        interleave_rows(row, row + step if 2 * pair + 1 < rows else 0, out + 4 * pair * columns, columns)
    return pairs


@summing
def _products(query: Any, key: int, step: int, out: Any) -> None:
    for index in range(len(out)):
        row, result = floats(key + index * step, len(query)), np.float32(0)
        for i in range(len(query)):
            result += query[i] * row[i]
        out[index] = result
