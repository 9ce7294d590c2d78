"""The options of commands that compile a model: threads, limits, precision, optimisation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from irrun.cli import limits, precision
from irrun.cli.limits import Limits
from irrun.cli.options import Command, as_record


class Compilation(NamedTuple):
    """The options of a compilation as they are given."""

    threads: int | None
    limit: Limits
    group_size: int | None
    as_written: bool
    low_memory: bool

    def settings(self, model: Path, precision_name: str | None) -> dict[str, Any]:
        """Return the settings of ``compile_model``, with those in the configuration of the model's folder."""
        return {
            "OPTIMIZE": not self.as_written,
            "LOW_MEMORY": self.low_memory,
            "INFERENCE_NUM_THREADS": self.threads or 0,
            **precision.settings(model, precision_name, self.group_size, self.as_written),
            **self.limit.settings(model),
        }


def compile_options(of_precision: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return a decorator that adds the options; all but the precision reach the command as ``compilation``."""
    return as_record(
        "compilation",
        Compilation,
        click.option(
            "--threads",
            type=click.IntRange(min=1, max=1024),
            metavar="N",
            help="Number of threads; the default is BLAS's.",
        ),
        limits.options,
        of_precision,
        click.option("--as-written", is_flag=True, help="Run layer by layer as written, without optimisation."),
        click.option("--low-memory", is_flag=True, help="Keep weights in their stored form, even if slower."),
    )
