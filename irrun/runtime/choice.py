"""How many workers a program gets: what has turned out fastest, tried again now and then as neighbours come and go."""

from __future__ import annotations

import statistics
from collections import deque
from typing import Final

_SAMPLES: Final = 5
"""Runs whose median counts."""

_EACH: Final = 3
"""Runs with each number before one is preferred."""

_AGAIN: Final = 40
"""Runs after which another number is tried once; a quarter of that at the beginning, when caches are cold."""

_EARLY: Final = 200


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
        again = _AGAIN if self._runs > _EARLY else _AGAIN // 4
        if self._runs % again == 0:
            return counts[self._runs // again % len(counts)]
        return min(counts, key=lambda count: statistics.median(self._times[count]))

    def took(self, count: int, seconds: float) -> None:
        """A run with so many workers took so long."""
        self._times[count].append(seconds)
