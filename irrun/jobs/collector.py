"""Pauses Python's garbage collector while many records are made that stay."""

from __future__ import annotations

import gc
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
    reading a large file, although none of them is garbage.

    An interrupt between any two lines leaves the collector as it was: a pause that is cut short ends when the
    interpreter forgets it. There is no lock, which an interrupt or a fork could leave locked: each step holds whatever
    other threads do between two of them.
    """

    __slots__ = ("_imports", "_is_over", "_number")

    def __init__(self, *, imports: bool = False) -> None:
        """With ``imports``, the first search behind the pause passes over what was made, which stays for good.

        All objects become old ones. No line of Python is between the two steps of that: an interrupt there would leave
        them frozen.
        """
        self._imports = imports
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
            if self._imports and not gc.get_freeze_count():
                deque(map(call, (gc.freeze, gc.unfreeze)), 0)
            gc.enable()
            _ENABLED.difference_update(over)
        self._is_over = True

    def __del__(self) -> None:
        if not self._is_over:
            self.__exit__()
