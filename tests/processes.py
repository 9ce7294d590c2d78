"""Commands in processes of their own, for what only a process has: signals, pipes, limits, imports, its end."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
WITH_ENTERS_AND_LEAVES: Final = pytest.mark.skipif(
    sys.version_info >= (3, 14),
    reason="in CPython 3.14 an interrupt behind __enter__ skips __exit__ (issue 148874 of python/cpython)",
)
_HANDLERS: Final[Mapping[signal.Signals, Any]] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}


def environment(**variables: str) -> dict[str, str]:
    """Return the variables of this process and others; Python finds irrun from any folder."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, **variables}


@contextmanager
def signals(ignored: Collection[int] = ()) -> Iterator[None]:
    """Let processes that are started here handle signals as in a terminal, even if this one ignores them."""
    before = {
        number: signal.signal(number, signal.SIG_IGN if number in ignored else handler)
        for number, handler in _HANDLERS.items()
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Stack(ctypes.Structure):
    """``stack_t`` of the C libraries of Linux."""

    _fields_ = (("place", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


def handle_on_the_usual_stack() -> None:
    """Let handlers run on the stack of the thread: OpenVINO leaves one for signals that is no longer mapped."""
    if sys.platform == "linux":
        disabled = 2
        ctypes.CDLL(None).sigaltstack(ctypes.byref(_Stack(None, disabled, 0)), None)


def start(*words: object, ignored: Collection[int] = (), **options: Any) -> subprocess.Popen[str]:
    """Start a command that reads nothing, with pipes for what it says, unless the options name other files."""
    usual: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "env": environment(),
    }
    with signals(ignored):
        return subprocess.Popen(list(map(str, words)), **(usual | options))


def ended(
    process: subprocess.Popen[str], seconds: float = 120, given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Wait for the end of a command and return what it says; kill one that does not end."""
    with process:
        try:
            said, complaints = process.communicate(given, timeout=seconds)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, said, complaints)


def done(*words: object, given: str | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    if given is not None:
        options["stdin"] = subprocess.PIPE
    return ended(start(*words, **options), given=given)


def python(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run an interpreter to its end."""
    return done(sys.executable, *words, **options)


def irrun(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command of irrun to its end."""
    return python("-m", "irrun", *words, **options)


def interrupted(act: Callable[[], object], event: int) -> int:
    """Interrupt an act at one of its calls and returns of functions, as a signal does; return how many there were.

    No signal is handled where a function of C is about to be called: one that leaves ``with`` frees a lock in any case.
    """
    seen = 0

    def count(_frame: object, kind: str, _function: object) -> None:
        nonlocal seen
        if kind == "c_call":
            return
        seen += 1
        if seen == event:
            sys.setprofile(None)
            raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        act()
        event = -1
    except KeyboardInterrupt:
        pass
    finally:
        sys.setprofile(before)
    return seen
