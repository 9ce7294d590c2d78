"""Computes the length of slices with partly known sizes and bounds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from irrun.ops.shapes import within
from irrun.tensor import UNBOUNDED, Array, Dim, Fact

TO_END: Final = UNBOUNDED
"""The magnitude from which on bounds are outside every tensor."""

_FAR: Final = 2**31 - 1
_HUGE: Final = 2**80


def bounds_of(fact: Fact) -> tuple[Dim, ...] | None:
    """Return the elements of an input of slice bounds; INT_MAX and INT_MIN of any width stand for the end."""
    known = fact.dims()
    return None if known is None else tuple(_beyond(bound) for bound in known)


def _beyond(bound: Dim) -> Dim:
    if bound.lo >= _FAR:
        return Dim.exactly(TO_END)
    if bound.hi <= -_FAR - 1:
        return Dim.exactly(-TO_END)
    return bound


def sliced(size: Dim, start: Dim, stop: Dim, step: Dim) -> Dim:
    """Return the length of ``[start:stop:step]`` of an axis; the step is known not to be zero.

    The rules are those of Python, except that a start before the first element is the first element, also for a
    negative step.
    """
    if not step.is_static:
        return Dim(0, size.hi)
    pace = step.lo
    if size.is_static and start.is_static and stop.is_static:
        return Dim.exactly(count(size.lo, start.lo, stop.lo, pace))
    bounds = _bounds(size, start, stop, pace)
    named = _named(size, start, stop, pace)
    return bounds if named is None else within(named, bounds)


def count(size: int, start: int, stop: int, step: int) -> int:
    """Return the length of a fully known slice."""
    first, last = position(size, start, stop, step)
    return max(0, -((first - last) // step)) if size else 0


def position(size: int, start: int, stop: int, step: int) -> tuple[int, int]:
    """Return the first element of a slice, and the first one past it; -1 is the place before the first element."""
    start, stop = (bound + size if bound < 0 else bound for bound in (start, stop))
    if step > 0:
        return min(max(start, 0), size), min(max(stop, 0), size)
    return min(max(start, 0), size - 1), min(max(stop, -1), size - 1)


def python_slice(size: int, start: int, stop: int, step: int) -> slice:
    """Return the slice for NumPy, where a stop of -1 would count from the end."""
    first, last = position(size, start, stop, step)
    if not count(size, start, stop, step):
        return slice(0, 0)
    return slice(first, last if last >= 0 else None, step)


def integers(array: Array) -> list[int]:
    """Return the elements of an index input; Undecided where one is unknown."""
    return [int(item) for item in array.reshape(-1).tolist()]


def _bounds(size: Dim, start: Dim, stop: Dim, step: int) -> Dim:
    """Return the bounds of the length, which is monotone between the bounds that are tried."""
    lengths = []
    endless = False
    top = _HUGE if size.hi >= UNBOUNDED else size.hi
    for first in _turns(start):
        for last in _turns(stop):
            marks = {first, last, first - last, last - first, 0}
            near = {sign * mark + shift for mark in marks for shift in (-1, 0, 1) for sign in (-1, 1)}
            sizes = {size.lo, top} | {place for place in near if size.lo <= place <= top}
            lengths += [count(place, first, last, step) for place in sizes]
            longest = count(_HUGE, first, last, step)
            endless |= top == _HUGE and longest < count(2 * _HUGE, first, last, step)
    return Dim(min(lengths), UNBOUNDED if endless else max(lengths))


def _turns(bound: Dim) -> Iterable[int]:
    """Return the values of a slice bound at which its meaning may change."""
    turns = {bound.lo, bound.hi} | {turn for turn in (-1, 0) if bound.admits(turn)}
    return [4 * _HUGE if turn >= TO_END else -4 * _HUGE if turn <= -TO_END else turn for turn in turns]


def _named(size: Dim, start: Dim, stop: Dim, step: int) -> Dim | None:
    """Return the length as a symbolic expression; None where the sign of a bound is unknown."""
    first, last = _from_front(start, size), _from_front(stop, size)
    if first is None or last is None:
        return None
    if step > 0:
        return (last.maximum(0).minimum(size) - first.maximum(0).minimum(size)).maximum(0).ceil_div(step)
    if first.lo < 0 and start != -1:
        return None
    end = size - 1
    return (first.maximum(-1).minimum(end) - last.maximum(-1).minimum(end)).maximum(0).ceil_div(-step)


def _from_front(bound: Dim, size: Dim) -> Dim | None:
    if bound.lo >= 0:
        return bound
    return bound + size if bound.hi < 0 else None
