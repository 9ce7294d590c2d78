"""The number of threads that find a processor each beside other programs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment,unused-ignore]

_LOOK: Final = 0.004
"""The least seconds between two looks at the counter."""

_WINDOW: Final = 0.1
"""The seconds in which interruptions are counted, unless there are many before."""

_STALE: Final = 1.0
"""Seconds without a look after which the counter says nothing about the present."""

_MANY: Final = 8
_RATE: Final = 150.0
"""Interruptions in a window, and in a second, from which on others want the processors."""

_PAUSE: Final = 0.1
_LONGEST: Final = 1.6
"""Seconds with fewer threads before another one is tried again: at first, and after many trials in vain."""

_CROWDED: Final = 2.5
"""Programs for each processor from which on one thread is enough to begin with."""


def interruptions() -> int:
    """Return how often the system has taken a processor from a thread of this process; 0 where it does not tell."""
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def is_crowded() -> bool:
    """Return whether programs have been waiting for processors for a while, by the system's load average."""
    try:
        return os.getloadavg()[0] > _CROWDED * (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return False


def are_all_busy(processors: int) -> bool:
    """Return whether threads run on all processors of a machine with so many; False where the system does not tell."""
    if processors != os.cpu_count():
        return False
    try:
        running = int(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return False
    return running >= processors


class Contention:
    """The most threads that find a processor each, as far as the system interrupts them.

    Threads that compute together wait for each other again and again: workers after each call, those of BLAS after each
    product. One without a processor delays all for a time slice, which is longer than many networks take. So where
    threads are interrupted often, there is one less; after a pause another one is tried again, unless threads run on
    all processors then. Pauses grow while that is in vain. Where one thread alone is interrupted, two are not tried.
    Before anything is counted, the load average decides whether to begin with one.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        interruptions: Callable[[], int] = interruptions,
        crowded: Callable[[], bool] = is_crowded,
        all_busy: Callable[[int], bool] = are_all_busy,
    ) -> None:
        self._clock = clock
        self._interruptions = interruptions
        self._crowded = crowded
        self._all_busy = all_busy
        self._wanted = 0
        self._most = 0
        self._looked = self._begun = -_STALE
        self._count = 0
        self._is_trial = False
        self._pause = _PAUSE
        self._decides = 0.0

    def limit(self, wanted: int) -> int:
        """Return how many threads should compute of ``wanted``, the number of processors that the process may use."""
        now = self._clock()
        if wanted > self._wanted:
            self._most = 1 if not self._wanted and self._crowded() else wanted
            self._wanted = wanted
        if now - self._looked >= _LOOK:
            self._look(now)
        return min(wanted, self._most)

    def _look(self, now: float) -> None:
        count, seconds = self._interruptions(), now - self._begun
        are_many = count - self._count >= max(_MANY, _RATE * seconds)
        is_stale = now - self._looked >= _STALE
        self._looked = now
        if not (is_stale or are_many or seconds >= _WINDOW):
            return
        self._begun, self._count = now, count
        if not is_stale and now >= self._decides:
            self._decide(now, are_many)

    def _decide(self, now: float, are_many: bool) -> None:
        is_trial = not are_many and self._most < self._wanted and not self._all_busy(self._wanted)
        if are_many and self._most > 1:
            self._pause = min(2 * self._pause, _LONGEST) if self._is_trial else _PAUSE
            self._decides = now + self._pause
            self._most = max(self._most - 1, 1)
        elif is_trial:
            self._most = min(self._most + 1, self._wanted)
        self._is_trial = is_trial
