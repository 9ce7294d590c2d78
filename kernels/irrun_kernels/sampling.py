"""Weighted sums of elements that tables choose."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.host import LANES
from irrun_kernels.native import Address, Read, Write, intrinsic, kernel, record
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
    for row in range(task * c.rows_per_task, min(c.stacks * c.results, (task + 1) * c.rows_per_task)):
        stack, result = row // c.results, row % c.results
        table = stack * c.next_table + result
        x, out = c.x + 4 * stack * c.size * c.columns, c.out + 4 * row * c.columns
        _mix(c.taps, c.places + 8 * table, c.weights + 4 * table, c.results, x, out, c.columns)


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
