"""The division of items among workers, and the result of an item that ended its worker."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lost:
    """The result of an item that ended its worker; ``reason`` says how."""

    reason: str


def chunks(count: int, workers: int, most: int = 16) -> list[range]:
    """Divide the indices of items into ranges, several for each worker."""
    size = max(1, min(most, count // (4 * workers)))
    return [range(at, min(at + size, count)) for at in range(0, count, size)]


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
