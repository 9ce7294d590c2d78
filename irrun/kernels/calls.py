"""Work as a sequence of calls: what makes them is done once where the arrays lie in the same places each time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

from irrun.kernels.threads import Array

Call = tuple[Callable[..., object], tuple[Any, ...], object]
"""A function, its arguments, and what must be kept for them: memory that they name by its address."""

Filled = Generator[Call, None, Array]
"""Gives an array, and before it the calls that fill it: ``array = yield from filled``."""


def call(function: Callable[..., object], *arguments: Any, kept: object = None) -> Call:
    return function, arguments, kept


def perform(calls: Iterable[Call]) -> None:
    for function, arguments, _ in calls:
        function(*arguments)


def filled(made: Filled) -> Array:
    """Does the calls that fill an array, and returns it."""
    while True:
        try:
            perform([next(made)])
        except StopIteration as end:
            array: Array = end.value
            return array


class Recorded:
    """Work for `split`: what ``make(start, stop)`` gives the first time, done each time.

    So ``make`` must not look at values, and what one call leaves for another lies in its arguments. All arrays of the
    calls are kept, memory of the thread included that has been replaced by a larger one since.
    """

    def __init__(self, make: Callable[[int, int], Iterator[Call]]) -> None:
        self._make = make
        self._known: dict[tuple[int, int], list[Call]] = {}

    def __call__(self, start: int, stop: int) -> None:
        known = self._known.get((start, stop))
        if known is None:
            known = self._known[start, stop] = list(self._make(start, stop))
        perform(known)
