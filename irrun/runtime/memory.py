"""Memory of large results, reused as soon as no array refers to it."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.layout import axes_in_memory
from irrun.tensor import Array

WORTH_KEEPING: Final = 1 << 16
"""Bytes below which the C library has memory at hand; above, a new array costs a page fault for every few kilobytes."""


class Memory:
    """Buffers for one run after another. One memory belongs to one run at a time.

    A buffer is free when only this list refers to it: arrays made of it, and views of those, keep it taken for as long
    as anybody holds one. Where references are not counted exactly, no memory is reused.
    """

    least = WORTH_KEEPING
    """Bytes below which an array is allocated without a buffer."""

    def __init__(self) -> None:
        self._buffers: list[Array] = []

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an uninitialised array."""
        size = math.prod(shape) * dtype.itemsize
        if size < self.least or _FREE is None:
            return np.empty(shape, dtype)
        buffer = self._take(size)
        return buffer[:size].view(dtype).reshape(shape)

    def like(self, array: Array) -> Array:
        """Return an array of the same shape, type and memory order of axes."""
        if array.nbytes < self.least:
            return np.empty_like(array)
        if array.flags.c_contiguous:
            return self.empty(array.shape, array.dtype)
        order = axes_in_memory(array)
        laid = self.empty([array.shape[axis] for axis in order], array.dtype)
        return laid.transpose(np.argsort(order))

    def is_only_in(self, array: Array) -> bool:
        """Return whether an array is the only user of its buffer."""
        base = array.base
        if _FREE is None or base is None:
            return False
        for number in range(len(self._buffers)):
            if self._buffers[number] is base:
                del base
                return is_free(self._buffers, number, 1)
        return False

    def clear(self) -> None:
        """Keep no buffer any more."""
        self._buffers.clear()

    @property
    def size(self) -> int:
        """The bytes of all buffers."""
        return sum(buffer.nbytes for buffer in self._buffers)

    def _take(self, size: int) -> Array:
        """The smallest free buffer that is large enough; where none is, a new one in place of the largest free one."""
        short = -1
        for number in range(len(self._buffers)):
            if is_free(self._buffers, number):
                if self._buffers[number].nbytes >= size:
                    return self._buffers[number]
                short = number
        if short >= 0:
            del self._buffers[short]
        new = np.empty(-(-size // 4096) * 4096, np.uint8)
        self._buffers.append(new)
        self._buffers.sort(key=_size)
        return new


def owner_of(array: Array) -> Array:
    """Return the array that owns the memory which an array is in, or is the first in memory of something else."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner


def is_free(buffers: Sequence[Array], number: int, seen: int = 0) -> bool:
    """Return whether only the sequence and ``seen`` arrays refer to a buffer; False without reference counts."""
    return _FREE is not None and sys.getrefcount(buffers[number]) == _FREE + seen


def _size(buffer: Array) -> int:
    return buffer.nbytes


def _free_count() -> int | None:
    """Return ``sys.getrefcount`` of an object that only a sequence refers to; None without reference counts."""
    counted = getattr(sys, "getrefcount", None)
    if counted is None or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return None
    objects = [np.empty(8, np.uint8)]
    alone: int = counted(objects[0])
    view = objects[0][:4].view(np.int16).reshape(2, 1).T
    return alone if counted(objects[0]) == alone + 1 and view.base is objects[0] else None


_FREE: Final = _free_count()
