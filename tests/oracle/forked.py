"""Runs calls in processes of their own, so that a crash ends nothing else. Needs a system with ``fork``."""

from __future__ import annotations

import os
import resource
import traceback
import warnings
from collections.abc import Callable

MEMORY, SECONDS = 6 << 30, 120
"""The limits of a call: bytes of address space and seconds of processor time."""


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
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        try:
            work()
            status = 0
        except (RuntimeError, MemoryError) as error:
            os.write(written, " ".join(str(error).split())[-4000:].encode() or b"refused")
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
