"""Packed weights of a compiled model, in memory and, where the user names a folder, on the disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from irrun.tensor import Array

if TYPE_CHECKING:
    from irrun.runtime.pack_cache import PackCache


class Packs(WeakValueDictionary[Hashable, Array]):
    """Packed weights, which the programs of a model share and keep alive. The source of each lives as long."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._cache: PackCache | None = None

    def made(self, tag: Hashable, source: Array, vectors: int, make: Callable[[], Array]) -> Array:
        """Return what ``make`` returns, or the same from the folder. ``tag`` and ``source`` tell all that it reads."""
        if self._folder is None:
            return make()
        if self._cache is None:
            from irrun.runtime.pack_cache import PackCache

            self._cache = PackCache(self._folder)
        return self._cache.made(f"{tag!r} {vectors}", source, make)

    @property
    def is_torn(self) -> bool:
        """Return whether a file of the folder was cut short while it was read."""
        return self._cache is not None and self._cache.is_torn

    def forget(self) -> None:
        """Use neither the folder nor what came from it any longer."""
        self._folder = self._cache = None
        self.clear()
