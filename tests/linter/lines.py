"""Counts work without a clock."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any


class Lines:
    """Counts the lines of Python that run inside a ``with``, and calls, those of the standard library too."""

    def __init__(self) -> None:
        self.count = 0

    def __enter__(self) -> Lines:
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        del frame, argument
        self.count += event in ("line", "call")  # an expression that generates elements is called for each
        return self._trace
