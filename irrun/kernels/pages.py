"""Memory of arrays that lie in a file."""

from __future__ import annotations

import mmap

import numpy as np

from irrun.kernels.threads import Array


def forget(array: Array) -> None:
    """Give back the memory of an array that lies in a file; it is read again when it is used."""
    base: object = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    file = base.obj if isinstance(base, memoryview) else base
    # Nobody can have written to a map that is read-only, so that its pages hold what the file holds.
    if isinstance(file, mmap.mmap) and memoryview(file).readonly:
        low, high = np.lib.array_utils.byte_bounds(array)
        begin = np.frombuffer(file, np.uint8).ctypes.data
        first = -(-(low - begin) // mmap.PAGESIZE) * mmap.PAGESIZE
        last = (high - begin) // mmap.PAGESIZE * mmap.PAGESIZE
        if first < last:
            file.madvise(mmap.MADV_DONTNEED, first, last - first)
