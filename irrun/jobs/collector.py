"""Pauses Python's garbage collector while many records are made that stay."""

from __future__ import annotations

import gc
import threading
from typing import Final

_LOCK: Final = threading.RLock()
_PAUSES: Final[set[int]] = set()
"""The pauses that are not over, on all threads; the first one pauses, the last one resumes."""

_WAS_ENABLED: Final = [True]


class collection_paused:
    """Search for no garbage meanwhile, on any thread.

    The collector visits all objects again and again while their number grows, which takes a third of the time of
    reading a large file, although none of them is garbage.

    An interrupt between any two lines leaves the collector as it was: a pause that is cut short ends when the
    interpreter forgets it.
    """

    __slots__ = ("_is_over",)

    def __init__(self) -> None:
        self._is_over = True

    def __enter__(self) -> None:
        with _LOCK:
            if not _PAUSES:
                _WAS_ENABLED[0] = gc.isenabled()
            self._is_over = False
            _PAUSES.add(id(self))
            gc.disable()

    def __exit__(self, *_: object) -> None:
        with _LOCK:
            if {id(self)} == _PAUSES and _WAS_ENABLED[0]:
                gc.enable()
            _PAUSES.discard(id(self))
            self._is_over = True

    def __del__(self) -> None:
        if not self._is_over:
            self.__exit__()
