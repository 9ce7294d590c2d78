"""How long a slice is, for sizes and bounds that are known in part only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from irrun.ops.shapes import within
from irrun.tensor import UNBOUNDED, Array, Dim, Fact

TO_END: Final = UNBOUNDED
"""Bounds from here on, or from its negative down, lie beyond every tensor."""

_FAR: Final = 2**31 - 1
_HUGE: Final = 2**80


def bounds_of(fact: Fact) -> tuple[Dim, ...] | None:
    """The elements of an input that lists slice bounds; INT_MAX and INT_MIN of any width stand for the end."""
    known = fact.dims()
    return None if known is None else tuple(_beyond(bound) for bound in known)


def _beyond(bound: Dim) -> Dim:
    if bound.lo >= _FAR:
        return Dim.exactly(TO_END)
    if bound.hi <= -_FAR - 1:
        return Dim.exactly(-TO_END)
    return bound


def sliced(size: Dim, start: Dim, stop: Dim, step: Dim) -> Dim:
    """The length of ``[start:stop:step]`` of an axis; the step is known not to be zero.

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
    """The length of a slice of which all is known."""
    first, last = position(size, start, stop, step)
    return max(0, -((first - last) // step)) if size else 0


def position(size: int, start: int, stop: int, step: int) -> tuple[int, int]:
    """The first element of a slice, and the first one past it; -1 is the place before the first element."""
    start, stop = (bound + size if bound < 0 else bound for bound in (start, stop))
    if step > 0:
        return min(max(start, 0), size), min(max(stop, 0), size)
    return min(max(start, 0), size - 1), min(max(stop, -1), size - 1)


def python_slice(size: int, start: int, stop: int, step: int) -> slice:
    """The same slice in NumPy's terms, where a stop of -1 would count from the end."""
    first, last = position(size, start, stop, step)
    if not count(size, start, stop, step):
        return slice(0, 0)
    return slice(first, last if last >= 0 else None, step)


def integers(array: Array) -> list[int]:
    """The elements of an index input; Undecided where one of them is not known."""
    return [int(item) for item in array.reshape(-1).tolist()]


def _bounds(size: Dim, start: Dim, stop: Dim, step: int) -> Dim:
    """The shortest and longest slice. The length is monotone between the places that are tried."""
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
    """The values of a slice bound at which its meaning can turn."""
    turns = {bound.lo, bound.hi} | {turn for turn in (-1, 0) if bound.admits(turn)}
    return [4 * _HUGE if turn >= TO_END else -4 * _HUGE if turn <= -TO_END else turn for turn in turns]


def _named(size: Dim, start: Dim, stop: Dim, step: int) -> Dim | None:
    """The length as an expression of what it depends on, None where the sign of a bound is not known."""
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
