"""Spreads items over this process, over several, or over a cluster, and yields their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from irrun.jobs.items import Lost
from irrun.jobs.threads import Item, Result, Several

Work = Callable[[Item], Result]
"""A function of one item. It is pickled once for each worker, and may keep what it has made between items."""


def spread(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    processes: int = 1,
    scheduler: Any = None,
    threads: int = 1,
) -> Iterator[tuple[int, Result | Lost]]:
    """Yield the index and the result of each item as soon as it is done.

    ``scheduler`` is the address or the client of a Dask cluster, or ``local`` for one of ``processes`` workers on this
    machine; without it, ``processes`` run here. Each of them works on ``threads`` items at the same time. A worker that
    ends loses nothing: its items are given to others, and one that ends its worker again is ``Lost``. Exceptions of
    ``work`` are passed on.
    """
    several = Several(work, threads)
    if scheduler is not None:
        from irrun.jobs.cluster import over_cluster

        yield from over_cluster(several, items, scheduler, processes)
    elif processes == 1 or len(items) < 2:
        yield from enumerate(several(items))
    else:
        from irrun.jobs.processes import over_processes

        yield from over_processes(several, items, processes)


def in_order(results: Iterable[tuple[int, Result]]) -> Iterator[Result]:
    """Yield results by their index, each as soon as all before it are there."""
    early: dict[int, Result] = {}
    due = 0
    for index, result in results:
        early[index] = result
        while due in early:
            yield early.pop(due)
            due += 1
