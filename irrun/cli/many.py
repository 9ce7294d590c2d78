"""The options of ``irrun run --batch``, and the way from them to the driver."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from irrun.cli import inputs, jobs, values
from irrun.cli.console import note, result
from irrun.cli.extending import extensions
from irrun.cli.failures import CANNOT, Failure
from irrun.cli.findings import say_findings
from irrun.cli.jobs import Way
from irrun.model import load

_Command = TypeVar("_Command", bound=Callable[..., Any])


def numbers(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[float, ...]:
    """Parse ``123.7,116.3,103.5``, with or without brackets."""
    try:
        return tuple(float(item) for item in (text or "").strip("[] ").split(",") if item.strip())
    except ValueError:
        raise click.BadParameter(f"{text!r} is not of the form 123.7,116.3,103.5") from None


def options(command: _Command) -> _Command:
    """Add the options about many inputs to a command."""
    for option in (
        jobs.options,
        jobs.requests,
        click.option(
            "--scale-values", callback=numbers, metavar="S,S,S", help="Divide the channels of images by these."
        ),
        click.option(
            "--mean-values", callback=numbers, metavar="M,M,M", help="Subtract these from images, blue first."
        ),
        click.option("--layout", metavar="NCHW", default="", help="The axes of the input for images; else guessed."),
        click.option("--steps", is_flag=True, help="With --batch: the files of a folder are steps of one sequence."),
        click.option(
            "--batch-size", type=click.IntRange(min=1), metavar="N", default=1, help="With --batch: join N inputs."
        ),
        click.option(
            "--batch",
            "patterns",
            multiple=True,
            metavar="PATTERN",
            help="Run on each of these files, one after the other: a folder, a quoted pattern or a file; repeatable.",
        ),
    ):
        command = option(command)
    return command


def run(
    model: Path,
    weights: Path | None,
    patterns: Sequence[str],
    folder: Path,
    config: Mapping[str, Any],
    shapes: Sequence[str],
    output_format: str,
    *,
    batch_size: int,
    steps: bool,
    layout: str,
    mean_values: tuple[float, ...],
    scale_values: tuple[float, ...],
    way: Way,
) -> None:
    """Run a model on many inputs, and print what was done; the exit status is 2 where an input has failed."""
    from irrun.cli.batch import run as driver
    from irrun.cli.batch.items import items_of
    from irrun.cli.batch.work import Inference
    from irrun.cli.images import Preparation

    if folder.suffix in (".npy", ".npz") or (folder.exists() and not folder.is_dir()):
        raise Failure(f"-o {folder} is a file, expected a folder for the outputs of many inputs")
    if steps and batch_size > 1:
        raise click.UsageError("--steps and --batch-size are given, expected one of both")
    items = items_of(patterns)
    loaded = load(model, weights, extensions=extensions())
    loaded, _ = inputs.reshape(loaded, shapes)
    if batch_size > 1:
        driver.check_batches(loaded)
    say_findings(loaded, model)
    how = Preparation(layout, mean_values, scale_values)
    config = {"TIER": os.environ.get("IRRUN_TIER", "auto"), **config, "INFERENCE_NUM_THREADS": way.threads}
    work = Inference(
        model,
        weights,
        config,
        shapes=shapes,
        extensions=[str(Path(path).absolute()) for path in extensions()],
        folder=folder,
        preparation=how,
        stateful=steps,
        travels=way.scheduler is not None,
    )
    stamps = [path.stat() for path in (model, weights or model.with_suffix(".bin")) if path.exists()]
    numerics = [config.get(name) for name in ("OPTIMIZE", "LOW_MEMORY", "INFERENCE_PRECISION_HINT")]
    files = [(item.st_size, item.st_mtime_ns) for item in stamps]
    identity = repr((model.name, files, tuple(shapes), how, steps, numerics))
    import hashlib

    settings = hashlib.sha256(identity.encode()).hexdigest()[:16]
    begin = time.perf_counter()
    todo = driver.groups(items, batch_size, stateful=steps)
    done, before, failed = driver.run(work, todo, folder, settings, way)
    seconds = time.perf_counter() - begin
    record = {"done": done, "before": before, "failed": failed, "seconds": seconds}
    if output_format == "json":
        result(values.as_json(record))
    else:
        rate = f" in {seconds:.1f} s, {done / seconds:,.1f} inputs/s" if done else ""
        result(f"{done} inputs done{rate}" + (f", {before} before" if before else "") + f", {failed} failed")
    note(f"wrote {folder} and {folder / driver.RECORDS}")
    if failed:
        raise click.exceptions.Exit(CANNOT)
