"""A bar on stderr that shows the progress of a command: on a terminal only, and only after a while."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

from irrun.jobs.progress import listening

DELAY: Final = 1.0
"""Seconds of a command before the bar is shown."""

_INTERVAL: Final = 0.1
_WIDTH: Final = 30
_MEGABYTE: Final = 1_000_000


_bars: Final[list[Bar]] = []
"""The bar of this process, if it has one."""


@contextmanager
def shown(stream: TextIO, is_quiet: Callable[[], bool]) -> Iterator[None]:
    """Show the progress of this thread on a stream, if that is a terminal that can erase a line."""
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    bar = Bar(stream, is_quiet)
    _bars.append(bar)
    try:
        with listening(bar):
            yield
    finally:
        _bars.remove(bar)
        bar.close()


def erase() -> None:
    """Erase the bar before something else is printed; it is drawn again where the work goes on."""
    for bar in _bars:
        bar.erase()


class Bar:
    """A listener that draws a line, also while nothing is done, and erases it when the work has ended."""

    def __init__(
        self, stream: TextIO, is_quiet: Callable[[], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream, self._is_quiet, self._clock = stream, is_quiet, clock
        self._due = clock() + DELAY
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._is_ticking = False
        self._work: tuple[str, int | None, str] | None = None
        self._done = self._drawn = 0
        self._begun = 0.0

    def begin(self, what: str, total: int | None, unit: str) -> None:
        if self._is_quiet():
            return
        with self._lock:
            self._work, self._done, self._begun = (what, total, unit), 0, self._clock()
        if not self._is_ticking:
            from irrun.jobs.threads import begin

            self._is_ticking = begin(threading.Thread(target=self._tick, name="irrun-progress", daemon=True))

    def add(self, count: int) -> None:
        with self._lock:
            self._done += count
            self._draw_if_due()

    def end(self) -> None:
        with self._lock:
            self._work = None
        self.erase()

    def erase(self) -> None:
        """Erase what is drawn."""
        with self._lock:
            if self._drawn:
                self._stream.write(f"\r{' ' * self._drawn}\r")
                self._stream.flush()
                self._drawn = 0

    def close(self) -> None:
        """Draw nothing any more."""
        self._ended.set()
        self.end()

    def _tick(self) -> None:
        while not self._ended.wait(_INTERVAL):
            with self._lock:
                self._draw_if_due()

    def _draw_if_due(self) -> None:
        now = self._clock()
        if self._work is None or now < self._due:
            return
        self._due = now + _INTERVAL
        text = line(*self._work, self._done, now - self._begun)
        self._stream.write(f"\r{text.ljust(self._drawn)}")
        self._stream.flush()
        self._drawn = max(self._drawn, len(text))


def line(what: str, total: int | None, unit: str, done: int, seconds: float) -> str:
    """Return what is done of some work, and the time that is left, or has passed where that is unknown."""
    if unit == "bytes":
        total, done, unit = None if total is None else -(-total // _MEGABYTE), done // _MEGABYTE, "MB"
    if total is None:
        count = f"{done} {unit}, " if done else ""
        return f"{what}: {count}{_clock(seconds)}"
    filled = _WIDTH * min(done, total) // max(total, 1)
    left = f", {_clock(seconds * max(total - done, 0) / done)} left" if done else ""
    bar = f"[{'#' * filled}{'-' * (_WIDTH - filled)}]"
    return f"{what} {bar} {done:>{len(str(total))}} of {total} {unit}{left}"


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
