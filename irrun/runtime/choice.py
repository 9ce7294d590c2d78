"""The choice of the number of workers with the best median time, measured again as the load of the machine changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Final

_SAMPLES: Final = 5
"""Runs whose median counts."""

_EACH: Final = 3
"""Runs with each number that may be the best, before one is preferred."""

_CLOSE: Final = 1.25
"""The number of times by which the median of a number may exceed the best one until one run of its kind is enough."""

_HOPELESS: Final = 1.5
"""The number of times by which the median of fewer workers may exceed the best one until they are not tried again."""

_SOON: Final = 5
"""Runs between a change of the preferred number and the first trial of another one; the pause doubles each time."""

_LATEST: Final = 40
"""The most runs between two trials."""


class Choice:
    """A number of workers for each run.

    Fewer workers that were much slower, three times, are not tried again: what slows them less than the preferred
    number, such as a busy neighbour, shows in the times of that number. More workers are, since neighbours may have
    gone.
    """

    def __init__(self, most: int) -> None:
        self._times: dict[int, deque[float]] = {
            count: deque(maxlen=_SAMPLES) for count in sorted({1, -(-most // 2), most}, reverse=True)
        }
        self._is_cold = True
        self._preferred = 0
        self._pause = self._left = _SOON
        self._trials = 0

    def next(self) -> int:
        """Return the number for the next run."""
        if len(self._times) == 1:
            return 1
        best = self._best()
        for count, times in self._times.items():
            if not times or (len(times) < _EACH and _median(times) < _CLOSE * _median(self._times[best])):
                return count
        if best != self._preferred:
            self._preferred, self._pause, self._left = best, _SOON, _SOON
        self._left -= 1
        others = [count for count in self._times if count != best and self._may_become_better(count, best)]
        if self._left > 0 or not others:
            return best
        self._pause = self._left = min(2 * self._pause, _LATEST)
        self._trials += 1
        return others[self._trials % len(others)]

    def took(self, count: int, seconds: float) -> None:
        """Learn how long a run with ``count`` workers took. The first run does not count: its memory is new.

        A run that is faster than the best median says that times have changed: those of this number are forgotten, and
        it is tried again at once.
        """
        if self._is_cold or len(self._times) == 1:
            self._is_cold = False
            return
        times = self._times[count]
        if len(times) >= _EACH and count != self._best() and seconds < _median(self._times[self._best()]):
            times.clear()
        times.append(seconds)

    def _may_become_better(self, count: int, best: int) -> bool:
        times = self._times[count]
        return count > best or len(times) < _EACH or _median(times) < _HOPELESS * _median(self._times[best])

    def _best(self) -> int:
        tried = [count for count, times in self._times.items() if times]
        return min(tried or self._times, key=lambda count: _median(self._times[count]))


def _median(times: Collection[float]) -> float:
    return sorted(times)[len(times) // 2] if times else 0.0
