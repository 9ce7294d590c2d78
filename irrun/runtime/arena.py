"""Place the arrays of a program in memory. Arrays that are not needed at the same time share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from irrun.runtime.lowering.builder import Buffer

_ALIGNMENT: Final = 64


def place(buffers: Sequence[Buffer]) -> tuple[dict[int, int], int]:
    """The offset of each buffer that is needed at all, by its start, and the size of the arena.

    Place the largest buffers first, each at the lowest address that no simultaneously live buffer uses.
    """
    offsets: dict[int, int] = {}
    placed: list[tuple[int, int, Buffer]] = []
    size = 0
    for buffer in sorted((item for item in buffers if item.first >= 0), key=lambda item: -item.size):
        need = -(-buffer.size // _ALIGNMENT) * _ALIGNMENT
        offset = 0
        for start, stop, other in placed:
            if other.last < buffer.first or buffer.last < other.first:
                continue
            if offset + need <= start:
                break
            offset = max(offset, stop)
        placed.append((offset, offset + need, buffer))
        placed.sort(key=lambda item: item[:2])
        offsets[buffer.start] = offset
        size = max(size, offset + need)
    return offsets, size
