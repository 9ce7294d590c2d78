"""The choice of the number of workers with the best median time, measured again as the load of the machine changes."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from typing import Final

_SAMPLES: Final = 5
"""Runs whose median counts."""

_EACH: Final = 3
"""Runs with each number before one is preferred."""

_HOPELESS: Final = 1.5
"""The number of times by which a run may exceed all runs with another number until one of its kind is enough."""

_SOON: Final = 5
"""Runs between a change of the preferred number and the first trial of another one; the pause doubles each time."""

_LATEST: Final = 40
"""The most runs between two trials."""


class Choice:
    """A number of workers for each run.

    Fewer workers that were much slower are not tried again: what slows them less than the preferred number, such as a
    busy neighbour, shows in the times of that number. More workers are, since neighbours may have gone.
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
        fewest = min(self._times, key=lambda count: len(self._times[count]) + _EACH * self._is_hopeless(count))
        if len(self._times[fewest]) < _EACH and not self._is_hopeless(fewest):
            return fewest
        best = self._best()
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

    def _is_hopeless(self, count: int) -> bool:
        """Return whether all runs so far with a number were much slower than all runs with another one."""
        least = min(self._times[count], default=0.0)
        return any(times and least > _HOPELESS * max(times) for times in self._times.values())

    def _may_become_better(self, count: int, best: int) -> bool:
        return count > best or _median(self._times[count]) < _HOPELESS * _median(self._times[best])

    def _best(self) -> int:
        return min(self._times, key=lambda count: _median(self._times[count]))


def _median(times: Collection[float]) -> float:
    return sorted(times)[len(times) // 2] if times else 0.0
