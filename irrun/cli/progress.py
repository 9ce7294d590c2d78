"""A progress bar on stderr while many items are worked on: on a terminal only, and only after a while."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO, TypeVar

from irrun.jobs.threads import begin

DELAY: Final = 1.0
"""Seconds of work before the bar is shown."""

_INTERVAL: Final = 0.1
_WIDTH: Final = 30

_Item = TypeVar("_Item")


def watched(
    items: Iterable[_Item],
    total: int,
    stream: TextIO,
    clock: Callable[[], float] = time.monotonic,
    *,
    unit: str = "files",
    count: Callable[[_Item], int] = lambda _: 1,
) -> Iterator[_Item]:
    """Yield the items and show the progress; the bar is erased at the end.

    ``count`` returns how many of the ``total`` units an item stands for.
    """
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield from items
        return
    bar = _Bar(total, stream, clock, unit)
    try:
        for item in items:
            yield item
            bar.add(count(item))
    finally:
        bar.end()


class _Bar:
    """The bar. A thread of its own draws it while an item takes long."""

    def __init__(self, total: int, stream: TextIO, clock: Callable[[], float], unit: str) -> None:
        self._total, self._stream, self._clock, self._unit = total, stream, clock, unit
        self._done = self._widest = 0
        self._begin = clock()
        self._due = self._begin + DELAY
        self._lock = threading.Lock()
        self._ended = threading.Event()
        begin(threading.Thread(target=self._tick, name="irrun-progress", daemon=True))

    def add(self, count: int) -> None:
        """Count what is done, and draw the bar where it is due."""
        with self._lock:
            self._done += count
            now = self._clock()
            if now >= self._due:
                self._due = now + _INTERVAL
                self._draw(now)

    def end(self) -> None:
        """Erase the bar."""
        self._ended.set()
        with self._lock:
            if self._widest:
                self._stream.write(f"\r{' ' * self._widest}\r")
                self._stream.flush()

    def _tick(self) -> None:
        while not self._ended.wait(DELAY):
            with self._lock:
                if not self._ended.is_set():
                    self._draw(self._clock())

    def _draw(self, now: float) -> None:
        left = _left((now - self._begin) * (self._total - self._done) / self._done) if self._done else ""
        text = f"{_bar(self._done, self._total)} {self._unit}{left}"
        self._stream.write(f"\r{text.ljust(self._widest)}")
        self._stream.flush()
        self._widest = max(self._widest, len(text))


def _bar(done: int, total: int) -> str:
    filled = _WIDTH * done // max(total, 1)
    return f"[{'#' * filled}{'-' * (_WIDTH - filled)}] {done:>{len(str(total))}} of {total}"


def _left(seconds: float) -> str:
    whole = int(seconds)
    return f", {whole // 3600:3}:{whole // 60 % 60:02}:{whole % 60:02} left"
