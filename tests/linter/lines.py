"""Counts work without a clock."""

from __future__ import annotations

import gc
import sys
from types import FrameType
from typing import Any


class Lines:
    """Counts the lines of Python that run inside a ``with``, and calls, those of the standard library too.

    Garbage of others is not collected meanwhile: its finalizers, and callbacks of the collector, run lines, too.
    """

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Lines:
        self._before, self._collects = sys.gettrace(), gc.isenabled()
        gc.disable()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)
        if self._collects:
            gc.enable()

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        del frame, argument
        self.count += event in ("line", "call")  # an expression that generates elements is called for each
        return self._trace
