"""Work as a sequence of calls: what makes them is done once where the arrays lie in the same places each time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

Call = tuple[Callable[..., object], tuple[Any, ...], object]
"""A function, its arguments, and what must be kept for them: memory that they name by its address."""


def call(function: Callable[..., object], *arguments: Any, kept: object = None) -> Call:
    return function, arguments, kept


def perform(calls: Iterable[Call]) -> None:
    for function, arguments, _ in calls:
        function(*arguments)


class Calls:
    """Work for `split`: what ``make(start, stop)`` gives the first time, done each time."""

    def __init__(self, make: Callable[[int, int], Iterator[Call]]) -> None:
        self._make = make
        self._known: dict[tuple[int, int], list[Call]] = {}

    def __call__(self, start: int, stop: int) -> None:
        known = self._known.get((start, stop))
        if known is None:
            known = self._known[start, stop] = list(self._make(start, stop))
        perform(known)
