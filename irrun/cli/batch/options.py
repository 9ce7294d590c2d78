"""The options of ``irrun run --batch``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import click

from irrun.cli import jobs
from irrun.cli.options import as_record
from irrun.evaluation.files.images import Preparation


def numbers(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[float, ...]:
    """Parse ``123.7,116.3,103.5``, with or without brackets."""
    try:
        return tuple(float(item) for item in (text or "").strip("[] ").split(",") if item.strip())
    except ValueError:
        raise click.BadParameter(f"{text!r} is not of the form 123.7,116.3,103.5") from None


class Batch(NamedTuple):
    """The options of many inputs as they are given: files, the file of records, how to run them, and the workers."""

    patterns: tuple[str, ...]
    records: Path | None
    size: int
    steps: bool
    preparation: Preparation
    workers: jobs.Workers


image_options = as_record(
    "preparation",
    Preparation,
    click.option("--layout", metavar="NCHW", default="", help="The layout of the image input; guessed by default."),
    click.option(
        "--mean-values", "mean", callback=numbers, metavar="M,M,M", help="Subtract these from the channels, blue first."
    ),
    click.option("--scale-values", "scale", callback=numbers, metavar="S,S,S", help="Divide the channels by these."),
)
"""The options ``--layout``, ``--mean-values`` and ``--scale-values``, as ``preparation``."""

batch_options = as_record(
    "batch",
    Batch,
    click.option(
        "--batch",
        "patterns",
        multiple=True,
        metavar="PATTERN",
        help="Run on each of these files: a folder, a quoted pattern or a file; repeatable.",
    ),
    click.option(
        "--records",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="With --batch: the file of records, .jsonl or .parquet.  [default: records.jsonl in the folder]",
    ),
    click.option(
        "--batch-size",
        "size",
        type=click.IntRange(min=1),
        metavar="N",
        default=1,
        help="With --batch: run N inputs at a time.",
    ),
    click.option("--steps", is_flag=True, help="With --batch: the files of a folder are steps of one sequence."),
    image_options,
    jobs.workers_options,
)
"""The options ``--batch``, those that go with it, and the workers, as ``batch``."""
