"""Copies of this process: when it can be copied, and how a copy keeps out of the way of what was copied."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from typing import Final

_REST: Final = 0.15
"""Seconds in which other threads must come to rest: those of the BLAS library look for work for a tenth of one."""

_MOST_OF_OTHERS: Final = 0.25
"""The share of all memory that this process may have for other purposes: what it writes after a copy takes twice."""

Processes = dict[int, socket.socket]
"""The numbers of processes, and where each takes its orders from."""


def can_be_copied(own: int) -> bool:
    """Whether this process may be copied now. ``own`` are the bytes that are there to be shared.

    No other thread may run: a fork stops the threads of the BLAS library, and with them a product that another thread
    waits for. If it is so, none can enter NumPy before the caller lets go of the interpreter.
    """
    ends = time.monotonic() + _REST
    while not _is_at_rest():
        if time.monotonic() > ends:
            return False
        time.sleep(0.001)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return _anonymous_bytes() - own < _MOST_OF_OTHERS * memory


def _is_at_rest() -> bool:
    """The states of all threads, looked up without letting go of the interpreter."""
    library, text = ctypes.PyDLL(None), ctypes.create_string_buffer(512)
    own = threading.get_native_id()
    for thread in os.listdir("/proc/self/task"):
        if int(thread) == own:
            continue
        file = library.open(f"/proc/self/task/{thread}/stat".encode(), os.O_RDONLY | os.O_CLOEXEC)
        if file < 0:
            continue
        count = library.read(file, text, 511)
        library.close(file)
        if count > 0 and text.raw[:count].rpartition(b")")[2].split()[0] != b"S":
            return False
    return True


def _anonymous_bytes() -> int:
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


def copy(processes: Processes) -> socket.socket | None:
    """Makes a copy of this process. It returns where the copy takes its orders from, and None in the caller.

    The copy has no files, no handlers of signals, and nobody's output. OSError or RuntimeError where it cannot be made.
    """
    writing, reading = socket.socketpair()
    caller = os.getpid()
    try:
        with _undisturbed():
            process = os.fork()
            if not process:
                writing.detach()
                return _alone(reading)
    except BaseException:
        if os.getpid() != caller:
            os._exit(1)
        writing.close()
        raise
    finally:
        if os.getpid() == caller:
            reading.close()
    processes[process] = writing
    return None


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """No signal is handled meanwhile, and no other Python thread runs."""
    interval = sys.getswitchinterval()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    sys.setswitchinterval(10)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        sys.setswitchinterval(interval)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _alone(orders: socket.socket) -> socket.socket:
    """In a copy: let go of everything that belongs to the process that was copied."""
    gc.disable()
    signal.set_wakeup_fd(-1)
    for known in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(known, signal.SIG_IGN if known == signal.SIGINT else signal.SIG_DFL)
    kept = fcntl.fcntl(orders.fileno(), fcntl.F_DUPFD, 3)  # a number that no object of the caller closes
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    for number in [int(name) for name in os.listdir("/proc/self/fd")]:
        if number > 2 and number != kept:
            with contextlib.suppress(OSError):
                os.close(number)
    orders.detach()
    return socket.socket(fileno=kept)


def are_alive(processes: Mapping[int, object]) -> bool:
    """Whether all of the processes are, and there are any."""
    try:
        return bool(processes) and all(os.waitpid(process, os.WNOHANG) == (0, 0) for process in processes)
    except ChildProcessError:
        return False


def end(caller: int, processes: Processes) -> None:
    """Ends the processes, where it is called by the one that made them."""
    if os.getpid() != caller:
        return
    while processes:
        process, orders = processes.popitem()
        orders.close()
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            if os.waitpid(process, os.WNOHANG) == (0, 0):
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
