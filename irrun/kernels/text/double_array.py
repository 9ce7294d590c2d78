"""A trie in a double array (Aoe, 1989), as darts-clone stores it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from irrun.kernels.text.utf8 import WIDTHS

_OFFSET, _WIDE, _LEAF, _LABEL, _VALUE = 10, 1 << 9, 1 << 8, 0x800000FF, 0x7FFFFFFF

_WIDTHS: Final = np.array(WIDTHS)


class DoubleArray:
    """Finds keys, and their values. ``data`` are units of 32 bits, the first one the root."""

    def __init__(self, data: bytes) -> None:
        self._array: Final = np.frombuffer(data, "<u4").astype(np.int64)
        self._units: Final[list[int]] = self._array.tolist()

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

    def characters_after_first(self) -> set[bytes]:
        """Return the characters, in UTF-8, that keys have after their first one."""
        found: set[bytes] = set()
        _, nodes = self._characters(np.zeros(1, np.int64))
        seen = nodes
        while nodes.size:
            characters, after = self._characters(nodes)
            found |= characters
            nodes = np.setdiff1d(after, seen)
            seen = np.union1d(seen, nodes)
        return found

    def _characters(self, nodes: NDArray[Any]) -> tuple[set[bytes], NDArray[Any]]:
        """Return the characters with which keys go on after some nodes, and the nodes after these."""
        number = np.zeros(len(nodes), np.int64)
        """The bytes of a character so far, the first one highest."""
        found: set[bytes] = set()
        after = []
        for size in range(1, 5):
            units = self._array[nodes]
            offsets = nodes ^ (units >> _OFFSET) << ((units & _WIDE) >> 6)
            children = offsets[:, None] ^ np.arange(256)
            is_there = self._array[children.clip(max=len(self._array) - 1)] & _LABEL == np.arange(256)
            parent, byte = np.nonzero(is_there & (children < len(self._array)))
            nodes, number = children[parent, byte], number[parent] << 8 | byte
            is_whole = _WIDTHS[number >> 8 * (size - 1) >> 4] == size
            found.update(point.to_bytes(size) for point in np.unique(number[is_whole]).tolist())
            after.append(nodes[is_whole])
            nodes, number = nodes[~is_whole], number[~is_whole]
        return found, np.unique(np.concatenate(after))

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
