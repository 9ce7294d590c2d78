"""Scores of attention: the masks that change them, and an online softmax over blocks of keys."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from irrun_kernels import ir
from irrun_kernels.conversions import round_row_to_bf16
from irrun_kernels.functions import exp, fill, tanh
from irrun_kernels.native import floats, inlined, intrinsic, longs
from irrun_kernels.rows import exponentials, largest, scale, total
from irrun_kernels.vectors import Vectors

ADDED: Final = 0
SEEN: Final = 1
KEPT: Final = 2
FILLED: Final = 3
"""Masks: f32 that are added to scores; bytes that are 0 where -inf is added; that are 0, or are not 0, where a score is
replaced by another number."""

LARGEST: Final = np.float32(1e15)
"""The largest element for which causal attention skips keys: no score overflows, and 0 times a value is 0."""


@inlined
def start_of(c: Any, x: Any, stack: int) -> int:
    """The address of the heads of a stack."""
    return int(x.start + stack // c.stacks * x.outer + stack % c.stacks * x.stack)


@inlined
def find_places(c: Any, head: int, query: int, count: int, rows: int, out: int) -> None:
    """Write the head and the query of each row; those of the last one are repeated."""
    places = longs(out, 2 * rows)
    for index in range(rows):
        places[2 * index], places[2 * index + 1] = head, query
        if index + 1 < count:
            query += 1
            if query == c.queries:
                head, query = head + 1, 0


@inlined
def row_of(x: Any, start: int, places: int, index: int) -> int:
    """The address of the row of an array that belongs to a row of scores."""
    place = longs(places + 16 * index, 2)
    return int(start + place[0] * x.matrix + place[1] * x.row)


@inlined
def begin_softmax(c: Any, stack: int, places: int, peaks: Any, totals: Any) -> None:
    """Begin the softmax of each row with the score of its sink, if there is one."""
    start = start_of(c, c.sink, stack)
    for index in range(len(peaks)):
        peaks[index], totals[index] = np.float32(-np.inf), np.float32(0)
        if c.sink.start != 0:
            peaks[index] = floats(row_of(c.sink, start, places, index), 1)[0]
            if peaks[index] != np.float32(-np.inf):
                totals[index] = exp(peaks[index] - peaks[index])


@inlined
def change_scores(
    c: Any, stack: int, places: int, count: int, begin: int, width: int, factor: Any, scores: int
) -> None:
    """Scale, cap and mask the products of queries and some keys."""
    bias = start_of(c, c.bias, stack) + begin * c.bias.element
    mask = start_of(c, c.mask, stack) + begin * c.mask.element
    for index in range(count):
        start = scores + 4 * index * c.block
        row = floats(start, width)
        if c.bf16 != 0:
            scale(row, factor)
        if c.cap != 0:
            for i in range(width):
                row[i] = np.float32(c.cap) * tanh(row[i])
        if c.causal != 0:
            for hidden in range(max(0, longs(places, 2 * count)[2 * index + 1] + 1 - begin), width):
                row[hidden] -= np.float32(np.inf)
        if c.bias.start != 0:
            _mask(ADDED, 4, start, width, row_of(c.bias, bias, places, index), c.bias.element, np.float32(0))
        if c.mask.start != 0:
            place, size = row_of(c.mask, mask, places, index), 4 if c.mask_form == ADDED else 1
            _mask(c.mask_form, size, start, width, place, c.mask.element, np.float32(c.filling))


@inlined
def weigh(c: Any, begin: int, width: int, scores: int, peaks: Any, totals: Any, results: int) -> None:
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
        if c.bf16 != 0:
            divide(row, totals[index], c.guarded)
            round_row_to_bf16(start, width, start)


@inlined
def divide(row: Any, total: Any, guarded: int) -> None:
    """Divide by a sum; with ``guarded``, what would be NaN is 0."""
    if guarded == 0 or total > np.float32(0):
        scale(row, np.float32(1) / total)
    elif total != np.float32(0):
        fill(row, np.float32(0))


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
        place = v.beyond(scores, first, 4)
        score = v.load(place, 0, inside)
        if form == ADDED:
            summand = v.load(v.beyond(mask, first, 4), 0, inside)
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
def is_bounded(start: int, rows: int, row: int, columns: int, element: int) -> bool:
    """Whether elements of f32, ``row`` and ``element`` bytes apart, are at most `LARGEST`, and none is NaN."""
    if row == 4:
        rows, row, columns, element = columns, element, rows, row
    run, beyond = columns if element == 4 else 1, 0
    for index in range(rows):
        for column in range(0, columns, max(run, 1)):
            beyond += _beyond(floats(start + index * row + column * element, run))
    return beyond == 0


@inlined
def _beyond(x: Any) -> int:
    count = 0
    for i in range(len(x)):
        count += not abs(x[i]) <= LARGEST
    return count
