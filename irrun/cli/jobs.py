"""The options ``--jobs`` and ``--scheduler`` of commands with many files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


def options(command: _Command) -> _Command:
    """Add ``--jobs`` and ``--scheduler`` to a command."""
    for option in (
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Use the workers of a Dask cluster, such as tcp://HOST:8786, or local for one of --jobs workers.",
        ),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=0),
            metavar="N",
            default=1,
            show_default=True,
            help="Number of processes; 0 for all processors.",
        ),
    ):
        command = option(command)
    return command
