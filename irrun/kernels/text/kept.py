"""Results that are kept: of arrays that never change, such as a vocabulary, and of texts that occur again."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

MOST: Final = 1 << 17
"""The number of texts whose results are remembered."""
_LONGEST: Final = 256
"""The bytes up to which a text is remembered."""


class Remembered(dict[bytes, T]):
    """The results of a function of bytes, those of short texts computed once. ``MOST`` of them are kept at a time."""

    def __init__(self, compute: Callable[[bytes], T]) -> None:
        super().__init__()
        self._compute: Final = compute

    def __missing__(self, text: bytes) -> T:
        found = self._compute(text)
        if len(text) <= _LONGEST:
            if len(self) >= MOST:
                self.clear()
            self[text] = found
        return found


def kept(make: Callable[P, T]) -> Callable[P, T]:
    """Call a function once for the same read-only arrays, which are compared by identity, and equal other arguments.

    Constants of a model are read-only. A result is dropped with the first of its arrays; arrays that can be written to
    are never remembered.
    """
    found: dict[tuple[Any, ...], tuple[tuple[weakref.ref[Any], ...], T]] = {}

    @functools.wraps(make)
    def get(*arguments: P.args, **options: P.kwargs) -> T:
        arrays = [item for item in arguments if isinstance(item, np.ndarray)]
        if any(array.flags.writeable for array in arrays):
            return make(*arguments, **options)
        named = tuple(options.items())
        key = (*(id(item) if isinstance(item, np.ndarray) else item for item in arguments), *named)
        entry = found.get(key)
        if entry is not None and all(ref() is array for ref, array in zip(entry[0], arrays, strict=True)):
            return entry[1]
        made = make(*arguments, **options)
        found[key] = (tuple(weakref.ref(array, lambda _: found.pop(key, None)) for array in arrays), made)
        return made

    return get
