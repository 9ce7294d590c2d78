"""Place the arrays of a program in memory. Arrays that are not needed at the same time share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from irrun.runtime.lowering.builder import Buffer

_ALIGNMENT: Final = 64


def place(buffers: Sequence[Buffer], sizes: Sequence[int]) -> tuple[dict[int, int], int]:
    """The offset of each buffer of the arena that is needed at all, by its number, and the size of the arena.

    Place the largest buffers first, each at the lowest address that no simultaneously live buffer uses.
    """
    needed = [number for number, buffer in enumerate(buffers) if buffer.kind == "arena" and buffer.first >= 0]
    needed.sort(key=lambda each: -sizes[each])
    lives = np.array([(buffers[number].first, buffers[number].last) for number in needed], np.int64).reshape(-1, 2)
    ranges = np.empty((len(needed), 2), np.int64)
    for count, number in enumerate(needed):
        need = max(-(-sizes[number] // _ALIGNMENT), 1) * _ALIGNMENT
        first, last = lives[count]
        used = ranges[:count][(lives[:count, 0] <= last) & (lives[:count, 1] >= first)]
        starts, stops = used[np.argsort(used[:, 0])].T
        free = np.maximum.accumulate(np.append(0, stops))
        offset = free[np.append(free[:-1] + need <= starts, True).argmax()]
        ranges[count] = offset, offset + need
    places = dict(zip(needed, ranges[:, 0].tolist(), strict=True))
    return places, int(ranges[:, 1].max(initial=0))
