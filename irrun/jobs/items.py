"""The division of items and processors among workers, and the result of an item that ended its worker."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final, NamedTuple

MOST_REQUESTS: Final = 8
"""Requests at the same time in one process, unless their number is given: Python runs one thread at a time."""


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


class Way(NamedTuple):
    """The workers of many items: processes here or on a cluster, each with some requests of ``threads`` each."""

    jobs: int
    scheduler: str | None
    requests: int
    threads: int


def way(jobs: int, scheduler: str | None, requests: int | None, threads: int | None = None) -> Way:
    """Divide the processors of this machine where the numbers of requests and threads are not given."""
    if jobs != 1 or scheduler is not None:
        return Way(jobs or processors(), scheduler, requests or 1, threads or 1)
    count = requests or max(1, min(processors() // (threads or 1), MOST_REQUESTS))
    return Way(jobs, scheduler, count, threads or max(1, processors() // count))
