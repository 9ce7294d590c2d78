"""Calls that pack weights while a plan is lowered: other threads do them meanwhile, the calling one in the end."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, TypeVar

import numpy as np

from irrun.kernels.aligned import LINES, aligned
from irrun.kernels.locks import Lock
from irrun.kernels.threads import worthwhile
from irrun.runtime.workers import YIELD
from irrun.tensor import Array
from irrun_kernels.tape import LINE, follow

_Result = TypeVar("_Result")

_CALLS: Final = 512
"""Calls of a tape; the next one is on another tape."""

_AHEAD: Final = 1 << 25
"""Bytes of the arrays of calls that are not done; the calling thread takes part where there are more."""

_ALONE: Final = 1 << 19
"""Bytes of the arrays of calls for which no other thread is started."""

_POLLS: Final = 4_000_000
"""Times that a thread looks for another call before it ends: some milliseconds."""


class _Tape:
    """A tape to which calls are added. The threads that walk it refer to it, and so to all that its calls use."""

    def __init__(self, workspace: int) -> None:
        self.each = -(-workspace // LINES) * LINES + LINES
        self._count = worthwhile()
        self._rows = np.zeros((_CALLS, 3), np.int64)
        self._counters = aligned((_CALLS, LINE), np.int64)
        self._posted = aligned(1, np.int64)
        self._workspace = aligned(self._count * self.each)
        self._counters.fill(0)
        self._posted.fill(0)
        self._threads: list[threading.Thread] = []
        self._actions: deque[tuple[int, int, Callable[[], object]]] = deque()
        self._bytes = self._done = self.calls = 0

    def add(self, kernel: int, record: Array, tasks: int, arrays: Sequence[Array]) -> None:
        """Add a call; the tape keeps its arrays until it is done."""
        self._rows[self.calls] = kernel, record.ctypes.data, tasks
        self.calls += 1
        self.then(lambda: (record, arrays), sum(array.nbytes for array in arrays))
        self._posted[0] = self.calls
        self._retire()
        if self._bytes > _AHEAD:
            self.join()
        elif self._bytes > _ALONE:
            self._begin()

    def then(self, action: Callable[[], object], size: int = 0) -> None:
        """Do something when all calls so far are done, which use so many bytes more."""
        self._bytes += size
        self._actions.append((self.calls, size, action))

    def join(self) -> None:
        """Take part in all calls so far, until they are done."""
        self._follow(0, 0)
        self._retire()

    def close(self) -> None:
        """Let the other threads go, when all calls are done."""
        self._posted[0] = -1

    def _begin(self) -> None:
        """Start threads, as far as the system allows."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        with suppress(RuntimeError, MemoryError):
            while len(self._threads) < self._count - 1:
                number = len(self._threads) + 1
                thread = threading.Thread(target=self._follow, args=(number, _POLLS), name=f"irrun-pack-{number}")
                thread.daemon = True
                thread.start()
                self._threads.append(thread)

    def _follow(self, number: int, polls: int) -> None:
        workspace = self._workspace.ctypes.data + number * self.each
        rows, posted, counters = (each.ctypes.data for each in (self._rows, self._posted, self._counters))
        follow(rows, posted, self._done, counters, workspace, number, self._count, polls, YIELD)

    def _retire(self) -> None:
        """Forget what calls used that are done."""
        while self._done < self.calls and self._counters[self._done, LINE // 2] == self._rows[self._done, 2]:
            self._done += 1
        while self._actions and self._actions[0][0] <= self._done:
            _, size, action = self._actions.popleft()
            self._bytes -= size
            action()


_LOCK: Final = Lock()
_TAPES: Final[list[_Tape]] = []


def run_meanwhile(kernel: int, record: Array, tasks: int, workspace: int, arrays: Sequence[Array]) -> None:
    """Call the kernel at an address, with a record of arguments, which point to the arrays.

    It is done when the plan is lowered (``packed``), after the calls before it: what it reads may be what they wrote.
    """
    with _LOCK:
        if _TAPES and (_TAPES[0].calls == _CALLS or _TAPES[0].each < workspace):
            finish()
        if not _TAPES:
            _TAPES.append(_Tape(workspace))
        _TAPES[0].add(kernel, record, tasks, arrays)


def when_packed(action: Callable[[], object]) -> None:
    """Do something when all calls so far are done."""
    with _LOCK:
        if _TAPES:
            _TAPES[0].then(action)
        else:
            action()


def finish() -> None:
    """Wait for all calls so far, and do the rest of them."""
    with _LOCK:
        if _TAPES:
            _TAPES[0].join()
            _TAPES.pop().close()


def finished(make: Callable[[], _Result]) -> _Result:
    """Return what ``make`` returns when its calls are done."""
    result = make()
    finish()
    return result


@contextmanager
def packed() -> Iterator[None]:
    """Lower a plan: all that is packed within is packed at the end."""
    try:
        yield
    finally:
        finish()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=finish)
