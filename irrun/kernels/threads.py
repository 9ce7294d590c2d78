"""The number of threads, and workspace that each thread keeps."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_MOST_SHAPES: Final = 256
"""The number of shapes for which workspace arrays are cached."""

_BLOCK: Final = 1 << 17
"""Elements processed at a time, so that consecutive passes find them in the cache."""

_LOCAL: Final = threading.local()
_COUNT: Final[list[int]] = []


def threads() -> int:
    """Return the number of threads that compute, including the calling one."""
    return _COUNT[0] if _COUNT else available()


def set_threads(count: int) -> None:
    """Set the number of threads; ValueError below 1. The threads of BLAS are not affected."""
    if count < 1:
        raise ValueError(f"{count} threads, expected at least 1")
    _COUNT[:] = [count]


@cache
def available() -> int:
    """Return the number of processors available to this process, by its affinity and the quota of its control group."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, min(count, _quota(Path("/sys/fs/cgroup"))))


def _quota(root: Path) -> int:
    """Return the processor quota of a control group, version 2 or 1, rounded up; a large number without a quota."""
    try:
        most, period = (root / "cpu.max").read_text().split()
        return 1 << 16 if most == "max" else -(-int(most) // int(period))
    except (OSError, ValueError):
        pass
    try:
        most, period = ((root / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        return 1 << 16 if int(most) < 0 else -(-int(most) // int(period))
    except (OSError, ValueError):
        return 1 << 16


def are_products_shared() -> bool:
    """Return whether BLAS uses several threads for a product, so that one large product is better than several."""
    return threads() > 1


def by_blocks(function: Callable[[Array, Array], object], x: Array, out: Array | None = None) -> Array:
    """Apply an elementwise ``function(block, target)`` block by block; the result has the memory layout of x.

    ``out`` may be x itself where the function allows it.
    """
    result = np.empty_like(x) if out is None else out
    if x.size <= _BLOCK or x.strides != result.strides or not _is_one_run(x):
        function(x, result)
        return result
    source, target = x.ravel("K"), result.ravel("K")
    for start in range(0, x.size, _BLOCK):
        function(source[start : start + _BLOCK], target[start : start + _BLOCK])
    return result


def _is_one_run(x: Array) -> bool:
    """Return whether the elements are contiguous in memory, in any order of the axes."""
    step = x.itemsize
    for stride, size in sorted(zip(x.strides, x.shape, strict=True)):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


def scratch(name: str, shape: Sequence[int], dtype: npt.DTypeLike) -> Array:
    """Return workspace of this thread, uninitialised; the next call with the same name reuses it.

    It stays allocated at the size of the largest call: use it for blocks that fit the cache.
    """
    buffers: dict[str, _Workspace] = _LOCAL.__dict__.setdefault("buffers", {})
    found = buffers.get(name)
    if found is None:
        found = buffers[name] = _Workspace()
    return found.array((*shape, dtype), shape, dtype)


class _Workspace:
    """A buffer, and the arrays that view it."""

    def __init__(self) -> None:
        self._buffer = np.empty(0, np.uint8)
        self._arrays: dict[Any, Array] = {}

    def array(self, key: Any, shape: Sequence[int], dtype: npt.DTypeLike) -> Array:
        known = self._arrays.get(key)
        if known is not None:
            return known
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if size > self._buffer.size:
            whole = np.empty(size + 64, np.uint8)
            self._buffer = whole[-whole.ctypes.data % 64 :]
            self._arrays.clear()
        if len(self._arrays) >= _MOST_SHAPES:
            self._arrays.clear()
        self._arrays[key] = made = self._buffer[:size].view(dtype).reshape(shape)
        return made
