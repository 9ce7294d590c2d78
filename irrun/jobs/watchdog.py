"""The end of a worker that hangs, as code of others may."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

TIMED_OUT: Final = 124
"""The exit status of a worker that took too long."""

_GRACE: Final = 1.0
"""Seconds beyond a limit: what checks the time itself ends before."""

_workers: Final[set[int]] = set()
"""The process, where it is a worker that may be ended."""


def guard_this_process() -> None:
    """Let this process be ended by `ending_after`."""
    _workers.add(os.getpid())


@contextmanager
def ending_after(seconds: float | None) -> Iterator[None]:
    """End this process if the context takes more than some seconds; no effect without a limit, or outside of workers.

    Code that holds the lock of the interpreter all the time is not ended.
    """
    if seconds is None or os.getpid() not in _workers:
        yield
        return
    timer = threading.Timer(seconds + _GRACE, os._exit, (TIMED_OUT,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
