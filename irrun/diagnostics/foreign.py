"""Code of others that irrun calls: extensions, whose output must not mix with that of a command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TextIO, cast

is_running: Final[ContextVar[bool]] = ContextVar("irrun.foreign", default=False)
"""True while code of an extension runs, on its thread."""

TRACEBACK: Final = "IRRUN_TRACEBACK"
"""The environment variable that prints the traceback of every fault of an extension."""


@contextmanager
def running() -> Iterator[None]:
    """Mark that code of an extension runs."""
    token = is_running.set(True)
    try:
        yield
    finally:
        is_running.reset(token)


@contextmanager
def on_stderr() -> Iterator[None]:
    """Print on stderr what extensions print on stdout."""
    before = sys.stdout
    sys.stdout = cast(TextIO, _Divided(before))
    try:
        yield
    finally:
        sys.stdout = before


class _Divided:
    """The standard output, which is stderr for code of extensions."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr if is_running.get() else self._stream, name)
