"""Runs calls in processes of their own, so that a crash ends nothing else. Needs a system with ``fork``."""

from __future__ import annotations

import os
import resource
import traceback
import warnings
from collections.abc import Callable

MEMORY, SECONDS = 6 << 30, 120
"""The limits of a call: bytes of address space and seconds of processor time."""


def limit_this_process(memory: int, seconds: int) -> None:
    """Limit the address space of this process, in bytes, and its processor time from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    end = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_AS, (memory, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))


def in_one_line(error: Exception) -> str:
    """Return the message of an error in one line of at most 4,000 characters."""
    return " ".join(str(error).split())[-4000:] or "refused"


def forked(work: Callable[[], None]) -> str:
    """Call ``work`` in a forked process.

    Return "" if it returned, the message if it raised RuntimeError or MemoryError, or ``crashes (signal 11)``. Any
    other exception is printed and ends this process too.
    """
    read, written = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        limit_this_process(MEMORY, SECONDS)
        try:
            work()
            status = 0
        except (RuntimeError, MemoryError) as error:
            os.write(written, in_one_line(error).encode())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(written)
    with os.fdopen(read, "rb") as pipe:
        message = pipe.read().decode(errors="replace")
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        return f"crashes (signal {os.WTERMSIG(ended)})"
    if os.WEXITSTATUS(ended) != 0:
        raise SystemExit(os.WEXITSTATUS(ended))
    return message
