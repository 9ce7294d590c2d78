"""The number of workers of a program: the one with the best median, tried again as neighbours come and go."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Final

_SAMPLES: Final = 5
"""Runs whose median counts."""

_EACH: Final = 3
"""Runs with each number before one is preferred."""

_AGAIN: Final = 40
"""Runs after which another number is tried once."""


class Choice:
    """A number of workers for each run."""

    def __init__(self, most: int) -> None:
        self._times: dict[int, deque[float]] = {
            count: deque(maxlen=_SAMPLES) for count in sorted({1, -(-most // 2), most}, reverse=True)
        }
        self._runs = 0

    def next(self) -> int:
        """The number for the next run."""
        self._runs += 1
        counts = list(self._times)
        for count in counts:
            if len(self._times[count]) < _EACH:
                return count
        if self._runs % _AGAIN == 0:
            return counts[self._runs // _AGAIN % len(counts)]
        return self._best()

    def took(self, count: int, seconds: float) -> None:
        """Learn how long a run with ``count`` workers took.

        A run that is faster than the best median says that times have changed: those of this number are forgotten, and
        it is tried again at once.
        """
        times = self._times[count]
        if len(times) >= _EACH and count != self._best() and seconds < _median(self._times[self._best()]):
            times.clear()
        times.append(seconds)

    def _best(self) -> int:
        return min(self._times, key=lambda count: _median(self._times[count]))


def _median(times: Collection[float]) -> float:
    return sorted(times)[len(times) // 2] if times else 0.0
