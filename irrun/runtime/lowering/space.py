"""Addresses for arrays that are never touched."""

from __future__ import annotations

import math
import mmap
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.tensor import Array

_BLOCK: Final = 1 << 26
"""Bytes of address space that are reserved at a time; the system provides memory only for pages that are touched."""

_ALIGNMENT: Final = 64


class Space:
    """Hands out arrays that do not overlap, with at least one byte each."""

    def __init__(self) -> None:
        self._block = mmap.mmap(-1, mmap.PAGESIZE)
        self._used = mmap.PAGESIZE

    def array(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return a contiguous array of a shape and type."""
        size = math.prod(shape) * dtype.itemsize
        if self._used + size >= len(self._block):
            self._block, self._used = mmap.mmap(-1, max(_BLOCK, size + 1)), 0
        made: Array = np.ndarray(shape, dtype, self._block, self._used)
        self._used = -(-(self._used + max(size, 1)) // _ALIGNMENT) * _ALIGNMENT
        return made
