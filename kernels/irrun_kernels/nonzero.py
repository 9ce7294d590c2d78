"""The indices of elements that are not zero."""

from __future__ import annotations

from typing import Any, NamedTuple

from irrun_kernels.axes import AXES, Axes
from irrun_kernels.elements import I32, I64, Elements, of_kind
from irrun_kernels.native import Address, Read, Write, kernel, longs, octets, record

_WORD = 8
"""Bytes that are compared with zero at a time."""


class NonZero(NamedTuple):
    """Arguments of `find_nonzero`: booleans of ``size``, contiguous, ``elements`` in all, along the last ``rank`` axes.

    ``out`` are i32 or i64 by ``kind``, [rank, elements]; ``found`` is how many columns of it are used.
    """

    x: Read[Address]
    out: Write[Address]
    found: Write[Address]
    size: Axes
    rank: int
    elements: int
    kind: int


@kernel(NonZero)
def find_nonzero(arguments: Any, task: int, workspace: int) -> None:
    """The indices of true elements in row-major order, a column for each, zeros behind them, and their number."""
    c = record(arguments)
    longs(c.found, 1)[0] = _find(c.kind, c.x, c.out, c.size, c.rank, c.elements)


@of_kind(I32, I64)
def _find(x: int, out: Elements, size: Any, rank: int, count: int) -> int:
    found, place = 0, 0
    truths = octets(x, count)
    while place < count:
        if place % _WORD == 0 and place + _WORD <= count and longs(x + place, 1)[0] == 0:
            place += _WORD
            continue
        if truths[place] != 0:
            rest = place
            for axis in range(rank):
                long = size[AXES - 1 - axis]
                out[(rank - 1 - axis) * count + found] = rest % long
                rest //= long
            found += 1
        place += 1
    for axis in range(rank):
        for column in range(found, count):
            out[axis * count + column] = 0
    return found
