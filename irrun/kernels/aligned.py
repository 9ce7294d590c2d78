"""Arrays that begin where two lines of the cache do, so that vectors of them are in one line each."""

from __future__ import annotations

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
_LARGE: Final = 1 << 22
"""Bytes of arrays that have pages of their own, and of those that have large ones, as NumPy's have."""


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
