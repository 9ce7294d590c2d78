"""Memory of arrays: where it begins, and pages that return to the system."""

from __future__ import annotations

import ctypes
import math
import mmap
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

LINES: Final = 128
"""Bytes of two lines, which processors fetch together."""

_MAPPED: Final = 1 << 20
_LARGE: Final = 1 << 21
"""Bytes of arrays that have pages of their own, and of those that have large ones."""


def aligned(shape: int | Sequence[int], dtype: npt.DTypeLike = np.uint8) -> npt.NDArray[Any]:
    """Return an uninitialised array."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    size = math.prod(sizes) * np.dtype(dtype).itemsize
    whole = np.empty(size + LINES, np.uint8)
    skip = -whole.ctypes.data % LINES
    return whole[skip : skip + size].view(dtype).reshape(sizes)


def staying(shape: Sequence[int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an uninitialised array that stays as long as a model.

    A large one is mapped: the C library would keep the memory of those that it allocates when they are freed.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < _MAPPED or sys.platform == "win32":
        return aligned(shape, dtype)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if size >= _LARGE and sys.platform == "linux":
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype).reshape(shape)


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
