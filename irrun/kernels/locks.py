"""Locks that a forked process finds free."""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    _Base: Any = object
else:
    _Base = type(threading.RLock())

_ALL: Final[weakref.WeakSet[Lock]] = weakref.WeakSet()


class Lock(_Base):  # type: ignore[misc]
    """A reentrant lock, which is free in a child that is forked while another thread holds it.

    Its methods are those of the interpreter, without a line of Python between which an interrupt could leave it locked.
    """

    def __init__(self) -> None:
        _ALL.add(self)

    def renew(self) -> None:
        """Make the lock free."""
        self._at_fork_reinit()


def _renew_all() -> None:
    for lock in list(_ALL):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
