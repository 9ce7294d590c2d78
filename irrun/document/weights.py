"""The weights file beside the .xml, with checked bounds: a copy of a small one, a memory map of a large one."""

from __future__ import annotations

import functools
import mmap
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from irrun.diagnostics import OpError
from irrun.document.files import opened
from irrun.kernels.aligned import staying

if TYPE_CHECKING:
    from irrun.document.guard import MapGuard

POINTER: Final = b"version https://git-lfs.github.com/"
"""The first bytes of a Git LFS pointer."""


COPIED: Final = 1 << 24
"""Files of up to this many bytes are copied, which costs a few milliseconds and holds no file open."""


class WeightsOutOfRange(OpError):
    """A constant extends beyond the end of the weights file."""

    code = "IR502"


class Weights:
    """The weights file of a model, or its absence."""

    def __init__(self, path: Path | None, data: bytes | None = None) -> None:
        self.path = path
        self._given = data
        self._map: mmap.mmap | None = None
        self._mapped: os.stat_result | None = None
        self._guard: MapGuard | None = None

    @staticmethod
    def beside(xml: Path) -> Weights:
        """Return the ``.bin`` with the base name of the ``.xml``."""
        return Weights(xml.with_suffix(".bin") if xml.name else None)

    @functools.cached_property
    def is_pointer(self) -> bool:
        """True where the file is a Git LFS pointer instead of the weights."""
        if self._given is not None or self.path is None or not self.path.is_file():
            return False
        with opened(self.path) as file:
            return file.read(len(POINTER)) == POINTER

    @property
    def exists(self) -> bool:
        return self._given is not None or (self.path is not None and self.path.is_file() and not self.is_pointer)

    @functools.cached_property
    def bytes(self) -> NDArray[np.uint8]:
        """The whole file, read-only."""
        if self._given is not None:
            return np.frombuffer(self._given, dtype=np.uint8)
        assert self.path is not None
        with opened(self.path) as file:
            status = os.fstat(file.fileno())
            if status.st_size <= COPIED:
                return _copy(file, status.st_size)
            from irrun.document.guard import MapGuard

            try:
                self._map = _map(file.fileno(), status.st_size)
            except OSError as error:
                raise OSError(error.errno, error.strerror, os.fspath(self.path)) from None
            self._guard = MapGuard(self._map)
        self._mapped = status
        return np.frombuffer(self._map, dtype=np.uint8)

    def check(self) -> None:
        """Raise WeightsOutOfRange where a mapped file has been truncated or written to since it was mapped.

        A file that was removed or replaced by another one is still there for this process.
        """
        before = self._mapped
        if before is None or self.path is None:
            return
        if self._guard is not None and self._guard.is_torn:
            raise WeightsOutOfRange(f"{self.path.name} was truncated while it was read; read the model again")
        try:
            now = os.stat(self.path)
        except OSError:
            return
        if not os.path.samestat(before, now) or (before.st_size, before.st_mtime_ns) == (now.st_size, now.st_mtime_ns):
            return
        sizes = f"it had {before.st_size} bytes, and has {now.st_size}"
        what = "other content" if now.st_size == before.st_size else sizes
        raise WeightsOutOfRange(f"{self.path.name} was changed after it was opened: {what}; read the model again")

    def read(self, offset: int, size: int) -> NDArray[np.uint8] | None:
        """Return ``size`` bytes from ``offset`` without copying them; None where there is no file."""
        whole = self._whole
        self.check()
        if whole is None:
            return None
        total = len(whole)
        if offset < 0 or size < 0 or offset + size > total:
            name = self.path.name if self.path is not None else "the weights"
            raise WeightsOutOfRange(
                f"bytes {offset} to {offset + size} are outside {name}, which has {total} bytes", attribute="offset"
            )
        return whole[offset : offset + size]

    def stream(self) -> BinaryIO | None:
        """Open a mapped file for reading it in pieces, which takes no memory; None where it is not on the disk."""
        if self._map is None or self.path is None or self._mapped is None:
            return None
        try:
            file = opened(self.path)
        except OSError:
            return None
        if os.path.samestat(os.fstat(file.fileno()), self._mapped):
            return file
        file.close()
        return None

    def forget(self) -> None:
        """Release the file's pages from memory; they are mapped again on their next use."""
        if "bytes" in self.__dict__ and self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)

    @functools.cached_property
    def _whole(self) -> NDArray[np.uint8] | None:
        return self.bytes if self.exists else None


def _copy(file: BinaryIO, size: int) -> NDArray[np.uint8]:
    """Return what a file holds, in large pages where the system has some, read-only; a pipe has no size."""
    if not size:
        return np.frombuffer(file.read(), np.uint8)
    memory: NDArray[np.uint8] = staying((size,), np.uint8)
    whole = memory[: file.readinto(memory.data)]  # type: ignore[attr-defined]
    whole.flags.writeable = False
    return whole


def _map(handle: int, size: int) -> mmap.mmap:
    """Map a file read-only, from Python 3.13 on without holding it open."""
    if sys.version_info >= (3, 13):
        return mmap.mmap(handle, size, access=mmap.ACCESS_READ, trackfd=False)
    return mmap.mmap(handle, size, access=mmap.ACCESS_READ)
