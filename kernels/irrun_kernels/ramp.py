"""Arithmetic sequences."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.elements import store
from irrun_kernels.native import Address, Write, kernel, longs, record

RUN: Final = 256
"""Elements at a time, which are computed in 64 bits."""


class Ramp(NamedTuple):
    """Arguments of `ramp`: the first element, the distance of two, and where ``size`` of them of a kind go."""

    out: Write[Address]
    kind: int
    width: int
    size: int
    start: int
    step: int
    per_task: int


@kernel(Ramp)
def ramp(arguments: Any, task: int, workspace: int) -> None:
    """Write start + i * step; workspace has room for `RUN` numbers."""
    c = record(arguments)
    for first in range(task * c.per_task, min(c.size, (task + 1) * c.per_task), RUN):
        numbers = longs(workspace, min(RUN, c.size - first, (task + 1) * c.per_task - first))
        for i in range(len(numbers)):
            numbers[i] = c.start + (first + i) * c.step
        store(c.kind, c.out + c.width * first, numbers)
