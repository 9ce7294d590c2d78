"""The options of commands that compile a model: threads, limits, precision, optimisation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from irrun.cli import limits, settings
from irrun.cli.failures import Failure
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
        """Return the settings of ``compile_model``, with those that configurations set.

        With ``--show-settings``, show all settings of the command instead, and end.
        """
        if self.as_written and precision_name not in (None, "f32"):
            what = f"--precision {precision_name} rounds the operands of products, --as-written does not"
            raise Failure(f"{what}; leave one out")
        if self.as_written and self.group_size:
            raise Failure("--dynamic-quantization rounds activations, --as-written does not; leave one out")
        given = {
            **self.limit.given(),
            "threads": self.threads,
            "precision": "f32" if self.as_written else precision_name,
            "dynamic-quantization": 0 if self.as_written else self.group_size,
            "low-memory": self.low_memory or None,
        }
        values = settings.resolved(given, model, show=self.limit.show_settings)
        return {"OPTIMIZE": not self.as_written, **settings.properties(values)}


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
