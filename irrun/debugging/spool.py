"""Tensors on the disk, so that two runs can be compared one after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from irrun.diagnostics.naming import naming
from irrun.evaluation.files.saving import write_array
from irrun.tensor import Array


class Spool:
    """Arrays by key in a temporary folder, which is removed at the end of the context."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="irrun-")
        self._files: dict[Hashable, Path] = {}
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._folder.cleanup()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._files

    def put(self, key: Hashable, array: Array) -> None:
        """Write an array, once for each key."""
        if key in self._files:
            return
        path = Path(self._folder.name, f"{self._count}.npy")
        self._count += 1
        with naming(path), path.open("wb") as file:
            write_array(file, array)
        self._files[key] = path

    def get(self, key: Hashable) -> Array:
        """Read an array; KeyError where there is none."""
        found: Array = np.load(self._files[key], allow_pickle=False)
        return found

    def drop(self, key: Hashable) -> None:
        """Remove an array that is not read again."""
        path = self._files.pop(key, None)
        if path is not None:
            path.unlink(missing_ok=True)
