"""Counts work without a clock."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

Trace = Callable[[FrameType, str, Any], Any]


class Lines:
    """Counts the lines of Python that run inside a ``with``, and calls, those of the standard library too.

    Garbage of others is not collected meanwhile: its finalizers, and callbacks of the collector, run lines, too.
    Counting stops at ``limit``.
    """

    def __init__(self, limit: float = math.inf) -> None:
        self._limit = limit
        self._counted: Callable[[], int] = int

    @property
    def count(self) -> int:
        return self._counted()

    def __enter__(self) -> Lines:
        self._before, self._collects = sys.gettrace(), gc.isenabled()
        gc.disable()
        trace, self._counted = counter(self._limit)
        sys.settrace(trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)
        if self._collects:
            gc.enable()


def counter(limit: float) -> tuple[Trace, Callable[[], int]]:
    """Return a function that traces up to a limit, and one that returns how many lines and calls it has seen."""
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Trace:
        nonlocal count
        del frame, argument
        if event == "line":
            count += 1
        return line

    def call(frame: FrameType, event: str, argument: Any) -> Trace:
        nonlocal count
        del frame, event, argument
        count += 1  # an expression that generates elements is called for each
        if count > limit:
            sys.settrace(None)
        return line

    return call, lambda: count
