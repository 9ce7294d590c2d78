"""The options ``--jobs``, ``--scheduler`` and ``--requests`` of commands with many files."""

from __future__ import annotations

from typing import Final, NamedTuple

import click

from irrun.cli.options import as_record, together

MOST_REQUESTS: Final = 8
"""Requests at the same time in one process, unless their number is given: Python runs one thread at a time."""


class Workers(NamedTuple):
    """The options ``--jobs``, ``--scheduler`` and ``--requests`` as they are given."""

    jobs: int
    scheduler: str | None
    requests: int | None


class Way(NamedTuple):
    """The workers of a command: processes here or on a cluster, each with some requests of ``threads`` each."""

    jobs: int
    scheduler: str | None
    requests: int
    threads: int


def way(jobs: int, scheduler: str | None, requests: int | None, threads: int | None = None) -> Way:
    """Divide the processors of this machine where the numbers of requests and threads are not given."""
    from irrun.jobs import processors

    if jobs != 1 or scheduler is not None:
        return Way(jobs or processors(), scheduler, requests or 1, threads or 1)
    count = requests or max(1, min(processors() // (threads or 1), MOST_REQUESTS))
    return Way(jobs, scheduler, count, threads or max(1, processors() // count))


options = together(
    click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        metavar="N",
        default=1,
        show_default=True,
        help="Number of processes; 0 for all processors.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Run on the Dask cluster of this scheduler, such as tcp://HOST:8786; local starts one of --jobs workers.",
    ),
)
"""The options ``--jobs`` and ``--scheduler``."""

workers_options = as_record(
    "workers",
    Workers,
    click.option(
        "--requests",
        type=click.IntRange(min=1, max=1024),
        metavar="N",
        help="With --batch: number of concurrent inferences in each process.",
    ),
    options,
)
"""The same and ``--requests``, as ``workers``."""
