"""Threads that walk tapes together. They hold no interpreter while they do, and sleep when there is nothing to do."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from irrun.kernels.aligned import aligned
from irrun_kernels.tape import lead, serve, settle, walk_alone

_POLLS: Final = 300_000
"""Times that an idle worker looks for another tape before it sleeps: less than a millisecond."""

_MAILBOX: Final = 64
"""Numbers of a mailbox, with those that several threads write to in cache lines of their own."""


class Workers:
    """The calling thread and the other workers. They walk one tape at a time."""

    def __init__(self) -> None:
        self._memory = aligned(_MAILBOX, np.int64)
        self._memory.fill(0)
        self._mailbox = self._memory.ctypes.data
        self.threads: list[Worker] = []
        self._lock = threading.Lock()
        self._last: object = None

    def walk(self, tape: int, calls: int, counters: int, workspace: int, each: int, count: int, kept: object) -> None:
        """Do all calls of a tape, with ``count`` workers where the others are free, and alone where they are not.

        Fewer do them where the system refuses threads. Each worker has ``each`` bytes of workspace. ``kept`` holds all
        of the memory, which a worker that is late may look at after this returns.

        An interrupt may come behind a call of ``acquire``, before what releases the lock is entered, but not inside of
        ``with``, except in CPython 3.14 (issue 148874 of python/cpython).
        """
        if count < 2 or self._lock.locked():
            walk_alone(tape, calls, workspace)
            return
        with self._lock:
            count = self._begin(count)
            settle(self._mailbox, YIELD)
            self._last = kept
            for worker in self.threads[: count - 1]:
                worker.wake()
            lead(self._mailbox, count, tape, calls, counters, workspace, each, YIELD)
        if all(worker.is_asleep for worker in self.threads):
            self.rest()

    def leave(self, kept: object) -> None:
        """Wait until no worker looks at a tape that is over, whose ``kept`` is about to change."""
        if self._last is kept:
            settle(self._mailbox, YIELD)

    def rest(self) -> None:
        """Forget the memory of a tape that is over, unless another one is walked now."""
        if not self._lock.locked():
            with self._lock:
                settle(self._mailbox, YIELD)
                self._last = None

    def _begin(self, count: int) -> int:
        """Start threads that are missing; return how many workers there are, at most ``count``."""
        try:
            while len(self.threads) < count - 1:
                self.threads.append(Worker(self._mailbox, len(self.threads) + 1, self.rest))
        except (RuntimeError, MemoryError):
            return len(self.threads) + 1
        return count


class Worker:
    """A thread that walks tapes, and sleeps when none has come for a while, after ``rest``.

    ``turns`` counts how often it looked.
    """

    def __init__(self, mailbox: int, number: int, rest: Callable[[], None]) -> None:
        self._mailbox = mailbox
        self._number = number
        self._rest = rest
        self.turns: int = 0
        self.is_asleep: bool = False
        self._bell = threading.Lock()
        self._bell.acquire()
        threading.Thread(target=self._run, name=f"irrun-{number}", daemon=True).start()

    def wake(self) -> None:
        """Announce a tape. The worker polls at least once again before it sleeps.

        The bell is a lock, held while there is nothing to do: an event of Python stays locked if its caller is
        interrupted.
        """
        if self._bell.locked():
            self.is_asleep = False
            self._bell.release()

    def _run(self) -> None:
        seen = 0
        while True:
            self._bell.acquire(blocking=False)
            self.turns += 1
            seen = serve(self._mailbox, self._number, seen, _POLLS, YIELD)
            if self._bell.locked():
                self.is_asleep = True
                self._rest()
                self._bell.acquire()
                self.is_asleep = False


def _yielding() -> int:
    """The address of the function that offers the processor to another thread."""
    library: Any = ctypes.WinDLL("kernel32") if sys.platform == "win32" else ctypes.CDLL(None)  # type: ignore[attr-defined,unused-ignore]
    function = library.SwitchToThread if sys.platform == "win32" else library.sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0


YIELD: Final = _yielding()

_POOL: list[Workers] = []


def workers() -> Workers:
    """The workers of this process."""
    if not _POOL:
        _POOL.append(Workers())
    return _POOL[0]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_POOL.clear)
