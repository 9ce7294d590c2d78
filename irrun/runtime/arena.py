"""Place the arrays of a program in memory. Arrays that are not needed at the same time share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from irrun.runtime.lowering.builder import Buffer

_ALIGNMENT: Final = 64


def place(buffers: Sequence[Buffer], sizes: Sequence[int]) -> tuple[dict[int, int], int]:
    """The offset of each buffer of the arena that is needed at all, by its number, and the size of the arena.

    Place the largest buffers first, each at the lowest address that no simultaneously live buffer uses.
    """
    offsets: dict[int, int] = {}
    placed: list[tuple[int, int, Buffer]] = []
    size = 0
    needed = [number for number, buffer in enumerate(buffers) if buffer.kind == "arena" and buffer.first >= 0]
    for number in sorted(needed, key=lambda each: -sizes[each]):
        buffer, need = buffers[number], max(-(-sizes[number] // _ALIGNMENT), 1) * _ALIGNMENT
        offset = 0
        for start, stop, other in placed:
            if other.last < buffer.first or buffer.last < other.first:
                continue
            if offset + need <= start:
                break
            offset = max(offset, stop)
        placed.append((offset, offset + need, buffer))
        placed.sort(key=lambda item: item[:2])
        offsets[number] = offset
        size = max(size, offset + need)
    return offsets, size
