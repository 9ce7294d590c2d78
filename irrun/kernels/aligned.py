"""Memory of arrays: where it begins, and pages that return to the system."""

from __future__ import annotations

import ctypes
import math
import mmap
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irrun.kernels.locks import Lock

LINES: Final = 128
"""Bytes of two lines, which processors fetch together."""

_MAPPED: Final = 1 << 16
"""Bytes of arrays that stay in mapped memory."""

_BLOCK: Final = 1 << 24
"""Bytes that are mapped at a time for arrays that stay: several large pages of the system."""


def aligned(shape: int | Sequence[int], dtype: npt.DTypeLike = np.uint8) -> npt.NDArray[Any]:
    """Return an uninitialised array."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    size = math.prod(sizes) * np.dtype(dtype).itemsize
    whole = np.empty(size + LINES, np.uint8)
    skip = -whole.ctypes.data % LINES
    return whole[skip : skip + size].view(dtype).reshape(sizes)


def staying(shape: Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an uninitialised array that stays as long as a model.

    Many of them have a mapping together, with large pages where the system has some. It returns to the system with the
    last of them: the C library would keep the memory of those that it allocates when they are freed.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < _MAPPED or sys.platform == "win32":
        return aligned(shape, dtype)
    if size >= _BLOCK:
        return _mapped(size).view(dtype).reshape(shape)
    with _LOCK:
        block = _NEWEST.block()
        if block is None or _NEWEST.used + size > len(block):
            block, _NEWEST.used = _mapped(_BLOCK), 0
            _NEWEST.block = weakref.ref(block)
        found = block[_NEWEST.used : _NEWEST.used + size]
        _NEWEST.used += -(-size // LINES) * LINES
    return found.view(dtype).reshape(shape)


class _Newest:
    """The newest mapping for arrays that stay, as long as there are some, and its bytes that are in use."""

    def __init__(self) -> None:
        self.block: Callable[[], npt.NDArray[np.uint8] | None] = lambda: None
        self.used = 0


_NEWEST: Final = _Newest()
_LOCK: Final = Lock()


def _mapped(size: int) -> npt.NDArray[np.uint8]:
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if sys.platform == "linux":
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint8)


def forget(array: npt.NDArray[Any]) -> None:
    """Release the pages of an array mapped from a file; they are read again on next use."""
    base: object = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    file = base.obj if isinstance(base, memoryview) else base
    # The pages of a read-only map equal the file, so that dropping them loses nothing.
    if isinstance(file, mmap.mmap) and memoryview(file).readonly:
        low, high = np.lib.array_utils.byte_bounds(array)
        begin = np.frombuffer(file, np.uint8).ctypes.data
        first = -(-(low - begin) // mmap.PAGESIZE) * mmap.PAGESIZE
        last = (high - begin) // mmap.PAGESIZE * mmap.PAGESIZE
        if first < last:
            file.madvise(mmap.MADV_DONTNEED, first, last - first)


def trim() -> None:
    """Return freed memory to the system where the C library would keep it for later allocations."""
    if sys.platform == "linux":
        trimmed = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trimmed is not None:
            trimmed(0)
