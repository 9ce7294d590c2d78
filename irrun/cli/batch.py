"""``irrun run --batch``: its options, and from them to the records, and what is said of them."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from irrun.cli import jobs, values
from irrun.cli.console import fail, note, result
from irrun.cli.extending import extensions
from irrun.cli.failures import CANNOT
from irrun.cli.findings import say_findings
from irrun.cli.inputs import InputOptions
from irrun.cli.options import Decorator, as_record
from irrun.diagnostics import amount
from irrun.evaluation.files.images import IMAGES
from irrun.evaluation.files.preparing import COLORS, FITS, Fit, Preparation, described, prepared

if TYPE_CHECKING:
    from irrun.evaluation.batch.running import Batch
    from irrun.evaluation.files.reading import InputValue
    from irrun.model import Loaded


def numbers(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[float, ...]:
    """Parse ``123.7,116.3,103.5``, with or without brackets."""
    try:
        return tuple(float(item) for item in (text or "").strip("[] ").split(",") if item.strip())
    except ValueError:
        raise click.BadParameter(f"{text!r} is not of the form 123.7,116.3,103.5") from None


def fit(_context: click.Context, _parameter: click.Parameter, text: str) -> Fit:
    """Parse ``crop:0.875``."""
    name, colon, number = text.partition(":")
    most = {"crop": 1.0, "letterbox": 255.0}.get(name)
    try:
        amount = float(number) if colon else None
    except ValueError:
        amount = math.nan
    if name not in FITS or (amount is not None and (most is None or not 0 <= amount <= most or amount + most == 1)):
        raise click.BadParameter(f"{text!r} is none of stretch, crop, crop:0.875, letterbox and letterbox:114")
    return Fit(name, amount)


def class_names(_context: click.Context, _parameter: click.Parameter, path: Path | None) -> list[str]:
    """Read the names of classes from a file."""
    if path is None:
        return []
    from irrun.evaluation.files.labels import read_classes

    return read_classes(path)


def say_image(given: Sequence[InputValue], model: Loaded, how: Preparation) -> None:
    """Print how images became inputs."""
    for value in given:
        if value.file is not None and value.file.suffix.lower() in IMAGES:
            note(f"image {value.file}: {described(prepared(how, model, value.port), model, value.port)}")


def say_images(batch: Batch) -> None:
    """Print how images become inputs, and which files of folders are no inputs."""
    if batch.images is not None:
        note(f"images: {batch.images}")
    if batch.skipped:
        kinds = ", ".join(f"{count} {suffix or 'without suffix'}" for suffix, count in sorted(batch.skipped.items()))
        note(f"skipped, as no inputs: {kinds}")


class BatchOptions(NamedTuple):
    """The options of many inputs as they are given: files, the file of records, how to run them, and the workers."""

    patterns: tuple[str, ...]
    records: Path | None
    into: Path | None
    size: int
    steps: bool
    preparation: Preparation
    workers: jobs.WorkerOptions


image_options: Decorator = as_record(
    "preparation",
    Preparation,
    click.option("--layout", metavar="NCHW", default="", help="The layout of the image input; guessed by default."),
    click.option(
        "--color",
        type=click.Choice(COLORS),
        help="The order of colours; by default that of the file, or blue first.",
    ),
    click.option(
        "--fit",
        callback=fit,
        metavar="HOW",
        default=Fit().name,
        help="Fit images to the input: stretch, crop or crop:SHARE of the shorter side, letterbox or letterbox:GRAY.",
    ),
    click.option(
        "--mean-values",
        "mean",
        callback=numbers,
        metavar="M,M,M",
        help="Subtract these from the channels, in their order.",
    ),
    click.option("--scale-values", "scale", callback=numbers, metavar="S,S,S", help="Divide the channels by these."),
)
"""The options of images, as ``preparation``."""

classes_option: Decorator = click.option(
    "--classes",
    callback=class_names,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The names of the classes, one a line.",
)

batch_options: Decorator = as_record(
    "batch",
    BatchOptions,
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
        "--into",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="With --batch: also write all outputs into one file, in order: .npz or .parquet.",
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


def run_many(
    model: Path,
    source: InputOptions,
    folder: Path,
    config: Mapping[str, Any],
    output_format: str,
    *,
    top: int | None,
    batch: BatchOptions,
    classes: Sequence[str],
    threads: int | None,
) -> None:
    """Run a model on many inputs, and print what was done; the exit status is 2 where an input has failed."""
    from irrun.evaluation.batch import joined
    from irrun.evaluation.batch.running import problem, run_batch
    from irrun.evaluation.files.targets import refuse_inputs
    from irrun.jobs.items import way

    if batch.steps and batch.size > 1:
        raise click.UsageError("--steps and --batch-size are given, expected only one of them")
    if batch.into is not None:
        joined.check(batch.into)
    found = run_batch(
        model,
        batch.patterns,
        folder,
        config,
        weights=source.weights,
        shapes=source.shapes,
        extensions=extensions(),
        records=batch.records,
        batch_size=batch.size,
        steps=batch.steps,
        preparation=batch.preparation,
        top=top,
        classes=classes,
        workers=way(*batch.workers, threads),
    )
    if batch.into is not None:
        refuse_inputs([batch.into], [model, *(Path(item.path) for item in found.items)])
    say_findings(found.model, model)
    say_images(found)
    if found.before:
        rest = f"{found.left} {'is' if found.left == 1 else 'are'} left" if found.left else "nothing is left to do"
        note(
            f"{found.before} {'input is' if found.before == 1 else 'inputs are'} done, as {found.records} says; {rest}"
        )
    failed, begin = 0, time.perf_counter()
    with closing(iter(found)) as records:
        for record in records:
            if record["status"] == "failed":
                failed += 1
                fail(problem(record))
            for line in values.top_lines(record.get("top", ())) if output_format != "json" else ():
                result(f"{values.printable(record['input'])}: {line}")
    done, seconds = found.left - failed, time.perf_counter() - begin
    if output_format == "json":
        result(values.as_json({"done": done, "before": found.before, "failed": failed, "seconds": seconds}))
    else:
        rate = f" in {seconds:.1f} s, {done / seconds:,.1f} inputs/s" if done else ""
        before = f", {found.before} before" if found.before else ""
        result(f"{amount(done, 'input')} done{rate}{before}, {failed} failed")
    if done or failed:
        note(f"wrote {folder} and {found.records}")
    if found.table is not None:
        note(f"wrote {found.table}")
    if batch.into is not None:
        count = joined.write(batch.into, found)
        note(f"wrote the outputs of {amount(count, 'input')} into {batch.into}")
    if failed:
        raise click.exceptions.Exit(CANNOT)
