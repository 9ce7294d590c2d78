"""The weights file beside the .xml, memory-mapped on first use, with checked bounds."""

from __future__ import annotations

import functools
import mmap
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from irrun.diagnostics import OpError

POINTER: Final = b"version https://git-lfs.github.com/"
"""The first bytes of a Git LFS pointer."""


class WeightsOutOfRange(OpError):
    """A constant extends beyond the end of the weights file."""

    code = "IR502"


class Weights:
    """The weights file of a model, or its absence."""

    def __init__(self, path: Path | None, data: bytes | None = None) -> None:
        self.path = path
        self._given = data
        self._map: mmap.mmap | None = None

    @staticmethod
    def beside(xml: Path) -> Weights:
        """Return the ``.bin`` with the base name of the ``.xml``."""
        return Weights(xml.with_suffix(".bin") if xml.name else None)

    @functools.cached_property
    def is_pointer(self) -> bool:
        """True where the file is a Git LFS pointer instead of the weights."""
        if self._given is not None or self.path is None or not self.path.is_file():
            return False
        with self.path.open("rb") as file:
            return file.read(len(POINTER)) == POINTER

    @property
    def exists(self) -> bool:
        return self._given is not None or (self.path is not None and self.path.is_file() and not self.is_pointer)

    @functools.cached_property
    def bytes(self) -> NDArray[np.uint8]:
        """The whole file, memory-mapped and read-only."""
        if self._given is not None:
            return np.frombuffer(self._given, dtype=np.uint8)
        assert self.path is not None
        if self.path.stat().st_size == 0:
            return np.empty(0, dtype=np.uint8)
        with self.path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(self._map, dtype=np.uint8)

    def read(self, offset: int, size: int) -> NDArray[np.uint8] | None:
        """Return ``size`` bytes from ``offset`` without copying them; None where there is no file."""
        whole = self._whole
        if whole is None:
            return None
        total = len(whole)
        if offset < 0 or size < 0 or offset + size > total:
            name = self.path.name if self.path is not None else "the weights"
            raise WeightsOutOfRange(
                f"bytes {offset} to {offset + size} are outside {name}, which has {total} bytes", attribute="offset"
            )
        return whole[offset : offset + size]

    def forget(self) -> None:
        """Release the file's pages from memory; they are mapped again on their next use."""
        if "bytes" in self.__dict__ and self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)

    @functools.cached_property
    def _whole(self) -> NDArray[np.uint8] | None:
        return self.bytes if self.exists else None
