"""The division of the processors among workers."""

from __future__ import annotations

from typing import Final, NamedTuple

from irrun.jobs.items import processors

MOST_REQUESTS: Final = 8
"""Requests at the same time in one process, unless their number is given: Python runs one thread at a time."""


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
