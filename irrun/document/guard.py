"""Survive the truncation of mapped files: a missing page reads as zeros, and is remembered.

A process that reads a map beyond the end of its file gets SIGBUS, in the thread that reads. A handler registered with
``signal.signal`` would run after the reading instruction, which never completes. So a callback of ctypes is registered
with the system instead, which maps zeros in place of the missing pages; then the instruction continues. Any other
SIGBUS is left to the handler that was there before.
"""

from __future__ import annotations

import ctypes
import mmap
import signal
import sys
import weakref
from typing import Final

import numpy as np

from irrun.kernels.locks import Lock

_IS_SUPPORTED: Final = sys.platform == "linux" and sys.maxsize > 2**32
_SA_SIGINFO: Final = 4
_PROT_READ: Final = 1
_PRIVATE_FIXED_ANONYMOUS: Final = 0x32
_ADDRESS: Final = 16
"""The offset of the address in ``siginfo_t``."""

_Handler: Final = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _Action(ctypes.Structure):
    """``struct sigaction`` of the C libraries of 64-bit Linux."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_byte * 128),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


class MapGuard:
    """The watch over one map. ``is_torn`` is True as soon as a missing page was read."""

    def __init__(self, map: mmap.mmap) -> None:
        self.is_torn = False
        self.start: int = np.frombuffer(map, dtype=np.uint8).ctypes.data
        self.end: int = self.start + -(-len(map) // mmap.PAGESIZE) * mmap.PAGESIZE
        if _IS_SUPPORTED:
            _install()
            _guards[self.start] = self
            weakref.finalize(map, _forget, self).atexit = False


_guards: Final[dict[int, MapGuard]] = {}
_lock: Final = Lock()
_before: Final = _Action()
_libc: Final = ctypes.CDLL(None) if _IS_SUPPORTED else None


def _forget(guard: MapGuard) -> None:
    """End the watch over a map that no longer exists; there may be another one at its address."""
    if _guards.get(guard.start) is guard:
        del _guards[guard.start]


def _on_missing_page(number: int, info: int, _: int) -> None:
    """Map zeros from the missing page to the end of its map; elsewhere restore the handler that was there before."""
    assert _libc is not None
    address = ctypes.c_void_p.from_address(info + _ADDRESS).value or 0
    for guard in list(_guards.values()):
        if guard.start <= address < guard.end:
            page = address - address % mmap.PAGESIZE
            size = ctypes.c_size_t(guard.end - page)
            where = _libc.mmap(
                ctypes.c_void_p(page), size, _PROT_READ, _PRIVATE_FIXED_ANONYMOUS, -1, ctypes.c_ssize_t(0)
            )
            guard.is_torn = True
            if where != -1:
                return
    _libc.sigaction(number, ctypes.byref(_before), None)


_callback: Final = _Handler(_on_missing_page)


def _install() -> None:
    """Register the callback, unless it is registered already."""
    assert _libc is not None
    action, current = _Action(flags=_SA_SIGINFO), _Action()
    action.handler = ctypes.cast(_callback, ctypes.c_void_p).value
    with _lock:
        _libc.sigaction(signal.SIGBUS, None, ctypes.byref(current))
        if current.handler != action.handler:
            _libc.sigaction(signal.SIGBUS, ctypes.byref(action), ctypes.byref(_before))
