"""The options ``--jobs``, ``--scheduler`` and ``--requests`` of commands with many files."""

from __future__ import annotations

from typing import NamedTuple

import click

from irrun.cli.options import Decorator, as_record, count_option, together


class WorkerOptions(NamedTuple):
    """The options ``--jobs``, ``--scheduler`` and ``--requests`` as they are given."""

    jobs: int
    scheduler: str | None
    requests: int | None


options: Decorator = together(
    count_option("-j", "--jobs", least=0, default=1, help="Number of processes; 0 for all processors."),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Run on the Dask cluster of this scheduler, such as tcp://HOST:8786; local starts one of --jobs workers.",
    ),
)
"""The options ``--jobs`` and ``--scheduler``."""

workers_options: Decorator = as_record(
    "workers",
    WorkerOptions,
    count_option("--requests", most=1024, help="With --batch: number of concurrent inferences in each process."),
    options,
)
"""The same and ``--requests``, as ``workers``."""
