"""A progress bar on stderr while many files are checked: on a terminal only, and only after a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO, TypeVar

DELAY: Final = 1.0
"""Seconds of work before the bar is shown."""

_INTERVAL: Final = 0.1
_WIDTH: Final = 30

_Item = TypeVar("_Item")


def watched(
    items: Iterable[_Item], total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic
) -> Iterator[_Item]:
    """Yield the items and show the progress; the bar is erased at the end."""
    if not stream.isatty():
        yield from items
        return
    begin = clock()
    due = begin + DELAY
    shown = False
    try:
        for done, item in enumerate(items, start=1):
            yield item
            now = clock()
            if now >= due:
                due, shown = now + _INTERVAL, True
                stream.write(f"\r{_bar(done, total)}{_left((now - begin) * (total - done) / done)}")
                stream.flush()
    finally:
        if shown:
            stream.write(f"\r{' ' * (len(_bar(total, total)) + len(_left(0)))}\r")
            stream.flush()


def _bar(done: int, total: int) -> str:
    filled = _WIDTH * done // total
    digits = len(str(total))
    return f"[{'#' * filled}{'-' * (_WIDTH - filled)}] {done:>{digits}} of {total} files"


def _left(seconds: float) -> str:
    whole = int(seconds)
    return f", {whole // 3600:3}:{whole // 60 % 60:02}:{whole % 60:02} left"
