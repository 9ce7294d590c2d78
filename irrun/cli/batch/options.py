"""The options of ``irrun run --batch``."""

from __future__ import annotations

from pathlib import Path

import click

from irrun.cli import jobs
from irrun.cli.options import together


def numbers(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[float, ...]:
    """Parse ``123.7,116.3,103.5``, with or without brackets."""
    try:
        return tuple(float(item) for item in (text or "").strip("[] ").split(",") if item.strip())
    except ValueError:
        raise click.BadParameter(f"{text!r} is not of the form 123.7,116.3,103.5") from None


batch_options = together(
    click.option(
        "--batch",
        "patterns",
        multiple=True,
        metavar="PATTERN",
        help="Run on each of these files, one after the other: a folder, a quoted pattern or a file; repeatable.",
    ),
    click.option(
        "--records",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="With --batch: the file of records, .jsonl or .parquet.  [default: records.jsonl in the folder]",
    ),
    click.option(
        "--batch-size", type=click.IntRange(min=1), metavar="N", default=1, help="With --batch: join N inputs."
    ),
    click.option("--steps", is_flag=True, help="With --batch: the files of a folder are steps of one sequence."),
    click.option("--layout", metavar="NCHW", default="", help="The axes of the input for images; else guessed."),
    click.option("--mean-values", callback=numbers, metavar="M,M,M", help="Subtract these from images, blue first."),
    click.option("--scale-values", callback=numbers, metavar="S,S,S", help="Divide the channels of images by these."),
    jobs.requests,
    jobs.options,
)
"""The options about many inputs."""
