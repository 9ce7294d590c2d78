"""A trie in a double array (Aoe, 1989), as darts-clone stores it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

_OFFSET, _WIDE, _LEAF, _LABEL, _VALUE = 10, 1 << 9, 1 << 8, 0x800000FF, 0x7FFFFFFF


class DoubleArray:
    """Finds keys, and their values. ``data`` are units of 32 bits, the first one the root."""

    def __init__(self, data: bytes) -> None:
        self._units: Final[list[int]] = np.frombuffer(data, "<u4").tolist()

    def longest(self, parts: Iterable[bytes]) -> tuple[int, int] | None:
        """Return the value of the longest key that is made of the first parts, and their number; None without one."""
        node, found, units = 0, None, self._units
        for size, part in enumerate(parts, 1):
            node = self._after(node, part)
            if node < 0:
                break
            if units[node] & _LEAF:
                leaf = self._children(node)
                if leaf < len(units):
                    found = units[leaf] & _VALUE, size
        return found

    def begin_with(self, text: bytes) -> bool:
        """Return whether a key begins with a text."""
        return self._after(0, text) >= 0

    def _after(self, node: int, text: bytes) -> int:
        """Return the node after a text; -1 where no key goes on like this."""
        units = self._units
        for byte in text:
            node = self._children(node) ^ byte
            if node >= len(units) or units[node] & _LABEL != byte:
                return -1
        return node

    def _children(self, node: int) -> int:
        unit = self._units[node]
        return node ^ (unit >> _OFFSET) << ((unit & _WIDE) >> 6)
