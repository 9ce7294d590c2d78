"""Return memory to the system: pages of mapped arrays and libraries, and what was freed."""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np

from irrun.kernels.threads import Array


def forget(array: Array) -> None:
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
