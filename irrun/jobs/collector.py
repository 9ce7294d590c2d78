"""Pauses Python's garbage collector while many records are made that stay."""

from __future__ import annotations

import gc
import sys
from collections import deque
from itertools import count
from operator import call
from typing import Final

_NUMBERS: Final = count()
_PAUSES: Final[set[int]] = set()
"""The pauses that are not over, on all threads, by their numbers; the last one resumes."""

_ENABLED: Final[set[int]] = set()
"""The pauses at whose end the collector is to be enabled, if they are the last."""


class collection_paused:
    """Search for no garbage meanwhile, on any thread.

    The collector visits all objects again and again while their number grows, which takes a third of the time of
    reading a large file, although none of them is garbage. Where modules were imported meanwhile, the search behind a
    pause passes over what was made, too: modules stay for good.

    An interrupt between any two lines leaves the collector as it was: a pause that is cut short ends when the
    interpreter forgets it. There is no lock, which an interrupt or a fork could leave locked: each step holds whatever
    other threads do between two of them.
    """

    __slots__ = ("_is_over", "_modules", "_number")

    def __init__(self) -> None:
        self._modules = len(sys.modules)
        self._number = next(_NUMBERS)
        self._is_over = True

    def __enter__(self) -> None:
        self._is_over = False
        _PAUSES.add(self._number)
        if _ENABLED or gc.isenabled():
            _ENABLED.add(self._number)
        gc.disable()

    def __exit__(self, *_: object) -> None:
        _PAUSES.discard(self._number)
        if _ENABLED and not _PAUSES:
            over = _ENABLED - _PAUSES
            if len(sys.modules) > self._modules and not gc.get_freeze_count():
                # All objects become old ones. No line of Python is between the two steps: an interrupt there would
                # leave them frozen.
                deque(map(call, (gc.freeze, gc.unfreeze)), 0)
            gc.enable()
            _ENABLED.difference_update(over)
        self._is_over = True

    def __del__(self) -> None:
        if not self._is_over:
            self.__exit__()
