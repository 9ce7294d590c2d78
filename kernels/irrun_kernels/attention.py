"""Scaled dot-product attention: an online softmax over blocks of keys, whose scores never leave the cache."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels import ir
from irrun_kernels.conversions import pair_rows, round_pairs
from irrun_kernels.functions import assign, exp, fill, tanh
from irrun_kernels.host import LANES
from irrun_kernels.micro import PANEL, ROWS, VECTORS, multiply_rows
from irrun_kernels.native import (
    NOWHERE,
    Address,
    Read,
    Write,
    floats,
    inlined,
    intrinsic,
    kernel,
    longs,
    record,
    summing,
)
from irrun_kernels.pixels import find_rows, move
from irrun_kernels.rows import exponentials, largest, scale, total
from irrun_kernels.stacks import pack_panel
from irrun_kernels.vectors import Vectors

TILE: Final = ROWS[VECTORS]

KEYS: Final = 256
"""Keys of a block, at most, of f32."""

MOST_ROWS: Final = 192
"""Rows of scores that are computed at a time, at most."""

FEW: Final = 4
"""Queries up to which keys are not packed."""

LARGEST: Final = np.float32(1e15)
"""The largest element for which causal attention skips keys: no score overflows, and 0 times a value is 0."""


ADDED: Final = 0
SEEN: Final = 1
KEPT: Final = 2
FILLED: Final = 3
"""Masks: f32 that are added to scores; bytes that are 0 where -inf is added; that are 0, or are not 0, where a score is
replaced by another number."""


class Heads(NamedTuple):
    """The address of an array [stacks of stacks, stacks, heads, rows, columns], 0 for none, and the bytes between its
    elements along each axis: 0 where it is broadcast."""

    start: Address = NOWHERE
    outer: int = 0
    stack: int = 0
    matrix: int = 0
    row: int = 0
    element: int = 0


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

    With ``halves``, queries, keys, weights and values are rounded to bf16 before they are multiplied; all keys are one
    block then, so that weights are divided by their sum before they are rounded.
    """

    query: Read[Heads]
    key: Read[Heads]
    value: Read[Heads]
    mask: Read[Heads]
    bias: Read[Heads]
    sink: Read[Heads]
    factor: Read[Address]
    out: Write[Heads]
    mask_form: int
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
    halves: int
    scale: float
    cap: float
    filling: float


def workspace_of(rows: int, depth: int, width: int, block: int) -> int:
    """The bytes of workspace that a task with so many rows of scores needs."""
    rows = -(-min(rows, MOST_ROWS) // TILE) * TILE
    wide = -(-width // LANES) * LANES
    return 40 * rows + 4 * rows * (depth + block) + 4 * block * (depth + wide) + 4 * PANEL


@kernel(Attention)
def attention(arguments: Any, task: int, workspace: int) -> None:
    """softmax(query · keyᵀ * scale + bias + mask) · value for some queries of the heads that share keys."""
    attend(record(arguments), task, workspace)


@inlined
def attend(c: Any, task: int, workspace: int) -> None:
    """One task of an attention with these arguments."""
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
    places, left, targets = workspace, workspace + 16 * rows, workspace + 24 * rows
    peaks, totals = floats(targets + 8 * rows, count), floats(targets + 12 * rows, count)
    query = targets + 16 * rows
    scores = query + 4 * rows * c.depth
    packed_keys = scores + 4 * rows * c.block
    packed_values = packed_keys + 4 * c.block * c.depth
    factor = np.float32(c.scale)
    if c.factor != 0:
        factor *= floats(c.factor, 1)[0]
    _find_places(c, group * c.shared + first // c.queries, first % c.queries, count, rows, places)
    keys, values = _start(c, c.key, stack) + group * c.key.matrix, _start(c, c.value, stack) + group * c.value.matrix
    _copy_queries(c, stack, places, count, factor, query)
    end, last = c.keys, min(c.queries, first % c.queries + count)
    if c.causal != 0 and last < c.keys and _is_visible_enough(c, query, count, keys, values, last):
        end = last
    if c.halves != 0:
        for index in range(count):
            round_pairs(query + 4 * index * c.depth, c.depth, query + 4 * index * c.depth)
    _begin(c, stack, places, peaks, totals)
    for begin in range(0, end, c.block):
        width = min(c.block, end - begin)
        source = keys + begin * c.key.row
        if count <= FEW and c.key.element == 4 and c.halves == 0:
            for index in range(count):
                row = floats(scores + 4 * index * c.block, width)
                _products(floats(query + 4 * index * c.depth, c.depth), source, c.key.row, row)
        else:
            depth = _pack_keys(c, source, width, packed_keys)
            find_rows(query, 4 * c.depth, count, rows, left)
            find_rows(scores, 4 * c.block, count, rows, targets)
            _multiply(tile, c.halves, left, targets, rows, depth, packed_keys, 0, width, 0)
        _find_results(c, stack, places, rows, targets)
        _change_scores(c, stack, places, count, begin, width, factor, scores)
        _weigh(c, begin, width, scores, peaks, totals, targets)
        source, step = values + begin * c.value.row, c.value.row
        if c.value.element != 4 or c.width % LANES != 0:
            step = 4 * -(-c.width // LANES) * LANES
            pack_panel(source, c.value.row, c.value.element, width, c.width, packed_values, step // 4)
            source = packed_values
        if c.halves != 0:
            width = _pair(source, step, width, packed_values, -(-c.width // LANES) * LANES)
            source, step = packed_values, 4 * -(-c.width // LANES) * LANES
        find_rows(scores, 4 * c.block, count, rows, left)
        _multiply(tile, c.halves, left, targets, rows, width, source, step, c.width, targets if begin != 0 else 0)
    _find_results(c, stack, places, rows, targets)
    for index in range(count):
        row = floats(longs(targets, count)[index], c.width)
        if c.keys == 0:
            fill(row, np.float32(0))
        elif c.halves == 0 and c.guarded == 0:
            scale(row, np.float32(1) / totals[index])
        elif c.halves == 0:
            _guard(row, totals[index])


@inlined
def _start(c: Any, x: Any, stack: int) -> int:
    """The address of the heads of a stack."""
    return int(x.start + stack // c.stacks * x.outer + stack % c.stacks * x.stack)


@inlined
def _find_places(c: Any, head: int, query: int, count: int, rows: int, out: int) -> None:
    """Write the head and the query of each row; those of the last one are repeated."""
    places = longs(out, 2 * rows)
    for index in range(rows):
        places[2 * index], places[2 * index + 1] = head, query
        if index + 1 < count:
            query += 1
            if query == c.queries:
                head, query = head + 1, 0


@inlined
def _row_of(x: Any, start: int, places: int, index: int) -> int:
    """The address of the row of an array that belongs to a row of scores."""
    place = longs(places + 16 * index, 2)
    return int(start + place[0] * x.matrix + place[1] * x.row)


@inlined
def _copy_queries(c: Any, stack: int, places: int, count: int, factor: Any, out: int) -> None:
    """Copy rows of queries, multiplied by the factor unless they are to be rounded."""
    start = _start(c, c.query, stack)
    for index in range(count):
        x = _row_of(c.query, start, places, index)
        row = floats(out + 4 * index * c.depth, c.depth)
        if c.query.element == 4:
            assign(row, floats(x, c.depth))
        else:
            for i in range(c.depth):
                row[i] = floats(x + i * c.query.element, 1)[0]
        if c.halves == 0:
            scale(row, factor)


@inlined
def _begin(c: Any, stack: int, places: int, peaks: Any, totals: Any) -> None:
    """Begin the softmax of each row with the score of its sink, if there is one."""
    start = _start(c, c.sink, stack)
    for index in range(len(peaks)):
        peaks[index], totals[index] = np.float32(-np.inf), np.float32(0)
        if c.sink.start != 0:
            peaks[index] = floats(_row_of(c.sink, start, places, index), 1)[0]
            if peaks[index] != np.float32(-np.inf):
                totals[index] = exp(peaks[index] - peaks[index])


@inlined
def _find_results(c: Any, stack: int, places: int, rows: int, out: int) -> None:
    """Write the addresses of rows of the result."""
    addresses, start = longs(out, rows), _start(c, c.out, stack)
    for index in range(rows):
        addresses[index] = _row_of(c.out, start, places, index)


@inlined
def _change_scores(
    c: Any, stack: int, places: int, count: int, begin: int, width: int, factor: Any, scores: int
) -> None:
    """Scale, cap and mask the products of queries and some keys."""
    bias = _start(c, c.bias, stack) + begin * c.bias.element
    mask = _start(c, c.mask, stack) + begin * c.mask.element
    for index in range(count):
        start = scores + 4 * index * c.block
        row = floats(start, width)
        if c.halves != 0:
            scale(row, factor)
        if c.cap != 0:
            _cap(row, np.float32(c.cap))
        if c.causal != 0:
            for hidden in range(max(0, longs(places, 2 * count)[2 * index + 1] + 1 - begin), width):
                row[hidden] -= np.float32(np.inf)
        if c.bias.start != 0:
            _mask(ADDED, 4, start, width, _row_of(c.bias, bias, places, index), c.bias.element, np.float32(0))
        if c.mask.start != 0:
            place, size = _row_of(c.mask, mask, places, index), 4 if c.mask_form == ADDED else 1
            _mask(c.mask_form, size, start, width, place, c.mask.element, np.float32(c.filling))


@inlined
def _weigh(c: Any, begin: int, width: int, scores: int, peaks: Any, totals: Any, results: int) -> None:
    """Replace the scores of some keys by weights, and scale what there is of the results to the same peaks."""
    for index in range(len(peaks)):
        start = scores + 4 * index * c.block
        row, peak = floats(start, width), largest(start, width)
        if peak > peaks[index]:
            change = exp(peaks[index] - peak)
            peaks[index] = peak
            totals[index] *= change
            if begin != 0:
                scale(floats(longs(results, index + 1)[index], c.width), change)
        if peaks[index] == np.float32(-np.inf) and total(row) == peaks[index]:
            # All of these keys are hidden, and all before them; none is NaN.
            fill(row, np.float32(0))
        else:
            totals[index] += exponentials(row, peaks[index])
        if c.halves != 0:
            if c.guarded != 0:
                _guard(row, totals[index])
            else:
                scale(row, np.float32(1) / totals[index])
            round_pairs(start, width, start)


@inlined
def _guard(row: Any, total: Any) -> None:
    """Divide by a sum; weights that are 0 / 0 or NaN are 0."""
    if not total > np.float32(0):
        if total != np.float32(0):
            fill(row, np.float32(0))
    else:
        scale(row, np.float32(1) / total)


@inlined
def _cap(row: Any, cap: Any) -> None:
    for i in range(len(row)):
        row[i] = cap * tanh(row[i])


@inlined
def _mask(form: int, size: int, scores: int, count: int, mask: int, element: int, filling: Any) -> None:
    """Change the scores of one query by the elements of a mask."""
    if element == size:
        _mask_row(form, scores, mask, count, filling)
    else:
        for index in range(count):
            _mask_row(form, scores + 4 * index, mask + index * element, 1, filling)


@intrinsic("void", *["int64"] * 4, "float32")
def _mask_row(v: Vectors, form: Any, scores: Any, mask: Any, count: Any, filling: Any) -> None:
    """Change a row of scores by a row of a mask."""
    builder = v.builder

    def change(form: int, first: Any, inside: Any) -> None:
        place = builder.add(scores, builder.mul(first, v.constant(4)))
        score = v.load(place, 0, inside)
        if form == ADDED:
            summand = v.load(builder.add(mask, builder.mul(first, v.constant(4))), 0, inside)
            v.store(builder.fadd(score, summand), place, 0, inside)
            return
        bytes = v.load(builder.add(mask, first), 0, inside, v.bytes)
        is_zero = builder.icmp_unsigned("==", bytes, ir.Constant(v.bytes, None))
        if form == SEEN:
            changed = builder.fadd(score, builder.select(is_zero, v.every(-np.inf), v.every(0.0)))
        else:
            others = (v.splat(filling), score) if form == KEPT else (score, v.splat(filling))
            changed = builder.select(is_zero, *others)
        v.store(changed, place, 0, inside)

    for (number,) in v.variants((form,), ((ADDED,), (SEEN,), (KEPT,), (FILLED,))):
        v.for_each_vector(count, partial(change, number))


@inlined
def _is_visible_enough(c: Any, query: int, count: int, keys: int, values: int, first: int) -> bool:
    """Whether keys from ``first`` on, which no query sees, can be skipped.

    Others propagate what is infinite or NaN: their scores may be inf - inf, and 0 * inf is added to results.
    """
    later = c.keys - first
    return (
        _is_bounded(query, count, 4 * c.depth, c.depth, 4)
        and _is_bounded(keys + first * c.key.row, later, c.key.row, c.depth, c.key.element)
        and _is_bounded(values + first * c.value.row, later, c.value.row, c.width, c.value.element)
    )


@inlined
def _is_bounded(start: int, rows: int, row: int, columns: int, element: int) -> bool:
    """Whether elements of f32, ``row`` and ``element`` bytes apart, are at most `LARGEST`, and none is NaN."""
    if row == 4:
        rows, row, columns, element = columns, element, rows, row
    beyond = 0
    for index in range(rows):
        if element == 4:
            beyond += _beyond(floats(start + index * row, columns))
        else:
            for column in range(columns):
                beyond += _beyond(floats(start + index * row + column * element, 1))
    return beyond == 0


@inlined
def _beyond(x: Any) -> int:
    count = 0
    for i in range(len(x)):
        count += not abs(x[i]) <= LARGEST
    return count


@inlined
def _pack_keys(c: Any, key: int, keys: int, packed: int) -> int:
    """Write keys as panels [depth, columns] of f32 or of words of two bf16; returns the depth."""
    depth: int = -(-c.depth // 2) if c.halves != 0 else c.depth
    for column in range(0, keys, PANEL):
        width = min(keys - column, PANEL)
        size = -(-width // LANES) * LANES
        source, panel = key + column * c.key.row, packed + 4 * column * depth
        whole = packed + 4 * column * c.depth
        if c.halves == 0:
            pack_panel(source, c.key.element, c.key.row, depth, width, panel, size)
        elif c.key.element == 4:
            pairs = whole + 4 * size * depth
            for index in range(width):
                round_pairs(source + index * c.key.row, c.depth, pairs + 4 * index * depth)
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
        pair_rows(row, row + step if 2 * pair + 1 < rows else 0, out + 4 * pair * columns, columns)
    return pairs


@inlined
def _multiply(
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
def _products(query: Any, key: int, step: int, out: Any) -> None:
    for index in range(len(out)):
        out[index] = _product(query, floats(key + index * step, len(query)))


@summing
def _product(a: Any, b: Any) -> Any:
    result = np.float32(0)
    for i in range(len(a)):
        result += a[i] * b[i]
    return result
