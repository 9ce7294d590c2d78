"""The number of threads, and workspace that each thread keeps."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from irrun.kernels.aligned import aligned
from irrun.kernels.contention import Contention
from irrun.kernels.control_groups import control_groups, text_of
from irrun.kernels.locks import Lock

Array = npt.NDArray[Any]

_LOOK_AGAIN: Final = 1.0
"""Seconds after which affinity and quota are looked up again."""

_UNLIMITED: Final = 1 << 16
"""Processors where there is no quota."""

_CONTENTION: Final = Contention()
_LOCAL: Final = threading.local()
_COUNT: Final[list[int]] = []


def threads() -> int:
    """Return the number of threads that compute, including the calling one."""
    return _COUNT[0] if _COUNT else available()


def worthwhile() -> int:
    """Return the number of threads that find a processor each beside other programs; all where somebody set it."""
    return _COUNT[0] if _COUNT else _CONTENTION.limit(available())


def set_threads(count: int) -> None:
    """Set the number of threads; ValueError below 1. The threads of BLAS are not affected."""
    if count < 1:
        raise ValueError(f"{count} threads, expected at least 1")
    _COUNT[:] = [count]


def available() -> int:
    """Return the number of processors available to this process, by its affinity and the quota of its control group.

    Both may change while the process runs: they are read again after a second.
    """
    return _available(int(time.monotonic() / _LOOK_AGAIN))


@lru_cache(maxsize=1)
def _available(_period: int) -> int:
    return max(1, min(by_affinity(), _quota()))


def by_affinity() -> int:
    """Return the number of processors in the affinity mask of this process."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _quota(root: Path = Path("/")) -> int:
    """The processors that the control groups of this process may use, rounded up; many if nothing limits them."""
    files = ("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")
    limits = [_limit(folder, *names) for folder in control_groups("cpu", root) for names in files]
    return min(limits, default=_UNLIMITED)


def _limit(folder: Path, *files: str) -> int:
    """The quota of a group over its period, rounded up; there is none if it is negative or "max"."""
    try:
        most, period = map(int, " ".join([text_of(folder / name) for name in files]).split())
    except ValueError:
        return _UNLIMITED
    return _UNLIMITED if most < 0 else -(-most // period)


def scratch(name: str, shape: Sequence[int], dtype: npt.DTypeLike) -> Array:
    """Return workspace of this thread, uninitialised; the next call with the same name reuses it.

    It stays allocated at the size of the largest call: use it for blocks that fit the cache.
    """
    buffers: dict[str, Array] = _LOCAL.__dict__.setdefault("buffers", {})
    size = math.prod(shape) * np.dtype(dtype).itemsize
    found = buffers.get(name)
    if found is None or found.size < size:
        found = buffers[name] = aligned(size)
    return found[:size].view(dtype).reshape(shape)


def release_scratch() -> None:
    """Free the workspace of this thread."""
    _LOCAL.__dict__.pop("buffers", None)


_LIBRARIES: Final[list[Any]] = []
"""The libraries whose number of threads was set, which other callers may set too."""

_LOCK: Final = Lock()


def blas_threads() -> int:
    """Return the number of threads of BLAS: by itself one for each processor of the process's affinity."""
    return int(_LIBRARIES[0].num_threads) if _LIBRARIES else by_affinity()


def set_blas_threads(count: int) -> None:
    """Set the number of threads of BLAS for the whole process, if it is another one."""
    if count == blas_threads():
        return
    with _LOCK:
        if not _LIBRARIES:
            from threadpoolctl import ThreadpoolController

            _LIBRARIES[:] = ThreadpoolController().select(user_api="blas").lib_controllers
        for library in _LIBRARIES:
            library.set_num_threads(count)
