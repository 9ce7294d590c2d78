"""The largest or smallest elements along an axis."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.axes import Axes, advance, count_of, find_indices, find_walk, offset_of, walk_bytes
from irrun_kernels.copies import copy_line
from irrun_kernels.elements import load
from irrun_kernels.functions import RUN
from irrun_kernels.native import Address, Read, Write, inlined, kernel, longs, record

_FLOATS, _WORDS = ord("f"), ord("i")
_LOWEST: Final = np.int64(-1 << 63)
_HIGHEST, _INFINITY = np.int64(0x7FFFFFFF), np.int64(0x7F800000)


class Top(NamedTuple):
    """Arguments of `top`: arrays with ``axes``, and another axis of ``length`` elements. Steps are in bytes.

    The ``wanted`` first elements, of a kind and of ``width`` bytes, go to ``out``, and their indices as i64 to
    ``places``.
    """

    x: Read[Address]
    out: Write[Address]
    places: Write[Address]
    axes: Axes
    length: int
    wanted: int
    x_step: int
    out_step: int
    places_step: int
    kind: int
    width: int
    smallest: int
    tasks: int


def workspace_of(rank: int, wanted: Any) -> Any:
    """The bytes of workspace: for a run of keys, the first keys and their places, and axes."""
    return 8 * (RUN + 2 * wanted) + walk_bytes(rank, 3)


@kernel(Top)
def top(arguments: Any, task: int, workspace: int) -> None:
    """Find the first elements: of equal ones those that come first; NaN is smaller than any number."""
    c = record(arguments)
    keys, places = longs(workspace + 8 * RUN, c.wanted), longs(workspace + 8 * (RUN + c.wanted), c.wanted)
    sizes, x_steps, out_steps, places_steps, indices = find_walk(c.axes, workspace + 8 * (RUN + 2 * c.wanted))
    rows = count_of(sizes)
    first, last = task * rows // c.tasks, (task + 1) * rows // c.tasks
    if first == last:
        return
    find_indices(indices, sizes, first)
    for _ in range(first, last):
        source, target = c.x + offset_of(indices, x_steps), c.out + offset_of(indices, out_steps)
        numbers = c.places + offset_of(indices, places_steps)
        _select(c, source, workspace, keys, places)
        _sort(keys, places)
        for i in range(c.wanted):
            place = places[i]
            longs(numbers + i * c.places_step, 1)[0] = place
            copy_line(c.width, source + place * c.x_step, 0, target + i * c.out_step, 0, 1)
        advance(indices, sizes)


@inlined
def _select(c: Any, x: int, run: int, keys: Any, places: Any) -> None:
    """Keep the largest keys in a heap, whose first element is the smallest of them."""
    wanted, filled = len(keys), 0
    for begin in range(0, c.length, RUN):
        found = longs(run, min(RUN, c.length - begin))
        _find_keys(c.kind, x + begin * c.x_step, c.x_step, found)
        if c.smallest != 0:
            for i in range(len(found)):
                found[i] = ~found[i]
        for i in range(len(found)):
            if filled < wanted:
                keys[filled], places[filled] = found[i], begin + i
                filled += 1
                if filled == wanted:
                    for j in range(wanted // 2 - 1, -1, -1):
                        _sift(keys, places, j, wanted)
            elif found[i] > keys[0]:
                keys[0], places[0] = found[i], begin + i
                _sift(keys, places, 0, wanted)


@inlined
def _sort(keys: Any, places: Any) -> None:
    """Turn a heap into a sequence from the largest key to the smallest."""
    for last in range(len(keys) - 1, 0, -1):
        keys[0], keys[last] = keys[last], keys[0]
        places[0], places[last] = places[last], places[0]
        _sift(keys, places, 0, last)


@inlined
def _sift(keys: Any, places: Any, start: int, count: int) -> None:
    """Move an element of a heap down, behind which elements come first."""
    here = start
    while 2 * here + 1 < count:
        child = 2 * here + 1
        if child + 1 < count and _is_behind(keys, places, child + 1, child):
            child += 1
        if not _is_behind(keys, places, child, here):
            break
        keys[here], keys[child] = keys[child], keys[here]
        places[here], places[child] = places[child], places[here]
        here = child


@inlined
def _is_behind(keys: Any, places: Any, a: int, b: int) -> bool:
    return bool(keys[a] < keys[b] or (keys[a] == keys[b] and places[a] > places[b]))


@inlined
def _find_keys(kind: int, x: int, step: int, keys: Any) -> None:
    """Integers in the order of elements; zeros of both signs are equal."""
    load(_WORDS if kind == _FLOATS else kind, x, step, keys)
    if kind == _FLOATS:
        for i in range(len(keys)):
            word = keys[i]
            key = word if word >= 0 else (word ^ _HIGHEST) + 1
            keys[i] = key if (word & _HIGHEST) <= _INFINITY else _LOWEST
