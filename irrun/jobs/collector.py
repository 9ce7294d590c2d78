"""Pauses Python's garbage collector while many records are made that stay."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final


class _Pauses:
    """The number of pauses that are not over, on all threads; the first one pauses, the last one resumes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.open = 0
        self.was_enabled = False

    def begin(self) -> None:
        with self.lock:
            if self.open == 0:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.open += 1

    def end(self) -> None:
        with self.lock:
            self.open -= 1
            if self.open == 0 and self.was_enabled:
                gc.enable()


_PAUSES: Final = _Pauses()


@contextmanager
def collection_paused() -> Iterator[None]:
    """Search for no garbage meanwhile, on any thread.

    The collector visits all objects again and again while their number grows, which takes a third of the time of
    reading a large file, although none of them is garbage.
    """
    _PAUSES.begin()
    try:
        yield
    finally:
        _PAUSES.end()
