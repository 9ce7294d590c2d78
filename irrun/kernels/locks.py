"""Locks that a forked process finds free."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Final

_ALL: Final[weakref.WeakSet[Lock]] = weakref.WeakSet()


class Lock:
    """A reentrant lock, which is free in a child that is forked while another thread holds it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _ALL.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *failure: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Make the lock free."""
        self._lock = threading.RLock()


def _renew_all() -> None:
    for lock in list(_ALL):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
