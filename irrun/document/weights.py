"""The .bin beside the .xml: opened when it is first needed, mapped into memory, bounds checked."""

from __future__ import annotations

import functools
import mmap
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from irrun.diagnostics import OpError

POINTER: Final = b"version https://git-lfs.github.com/"
"""How a Git LFS pointer begins."""


class WeightsOutOfRange(OpError):
    """A constant reaches beyond the end of the file of weights."""

    code = "IR502"


class Weights:
    """The file of weights of a model, or its absence."""

    def __init__(self, path: Path | None, data: bytes | None = None) -> None:
        self.path = path
        self._given = data
        self._map: mmap.mmap | None = None

    @staticmethod
    def beside(xml: Path) -> Weights:
        """The ``.bin`` with the name of the ``.xml``."""
        return Weights(xml.with_suffix(".bin") if xml.name else None)

    @functools.cached_property
    def is_pointer(self) -> bool:
        """Whether the file is a Git LFS pointer, which only names the weights."""
        if self._given is not None or self.path is None or not self.path.is_file():
            return False
        with self.path.open("rb") as file:
            return file.read(len(POINTER)) == POINTER

    @property
    def exists(self) -> bool:
        return self._given is not None or (self.path is not None and self.path.is_file() and not self.is_pointer)

    @functools.cached_property
    def bytes(self) -> NDArray[np.uint8]:
        """The whole file, mapped into memory and read-only."""
        if self._given is not None:
            return np.frombuffer(self._given, dtype=np.uint8)
        assert self.path is not None
        if self.path.stat().st_size == 0:
            return np.empty(0, dtype=np.uint8)
        with self.path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(self._map, dtype=np.uint8)

    def read(self, offset: int, size: int) -> NDArray[np.uint8] | None:
        """``size`` bytes from ``offset`` on, without copying them; None where there is no file."""
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
        """Let go of the pages of the file that were read; what is still needed is mapped once more when it is used."""
        if "bytes" in self.__dict__ and self._map is not None:
            self._map.madvise(mmap.MADV_DONTNEED)

    @functools.cached_property
    def _whole(self) -> NDArray[np.uint8] | None:
        return self.bytes if self.exists else None
