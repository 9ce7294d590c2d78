"""Measure the accuracy of a model against labels.

The rows of --data are run --batch-size at a time; the labels have the same first dim. With --batch, each file is one
input. --labels is an .npy file with a row for each input in natural order, an .npz file with an array named after
each file, or a .csv or .txt file with lines of a file name and its label.

topK, iou, f1, confusion and perplexity compare integer classes with scores, along the second or the last axis of the
output; mse, rmse, mae and r2 compare numbers. (irrun eval runs a single operation.)

An input that cannot be run is named and left out of the figures; the exit status is then 1. With --save, a second
evaluation runs only what is left.

\b
Examples:
  irrun evaluate model.xml --data images.npy --labels labels.npy --metric top1
  irrun evaluate model.xml --data X.npz --labels y.npy --metric perplexity
  irrun evaluate model.xml --batch in/ --labels val.txt -m top1 --color rgb
  irrun evaluate model.xml --batch in/ --labels y.npz -m f1 --ignore-label 0
  irrun evaluate model.xml --batch in/ --labels y.csv -m f1 --save outputs/
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from irrun.cli import inputs, values
from irrun.cli.batch import classes_option, image_options, say_images
from irrun.cli.compiling import compile_options
from irrun.cli.console import detail, fail, note, result, warn
from irrun.cli.extending import extensions
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE, usual_options
from irrun.cli.jobs import WorkerOptions, workers_options
from irrun.cli.options import Number, as_record
from irrun.cli.settings import CommandSettings
from irrun.cli.tables import aligned, columns
from irrun.diagnostics import amount
from irrun.evaluation.accuracy import Evaluation, evaluate, evaluate_files
from irrun.evaluation.batch.running import problem, run_batch
from irrun.evaluation.files import predictions as rows
from irrun.evaluation.files import reading
from irrun.evaluation.files.labels import read_labels
from irrun.evaluation.files.naming import reshape
from irrun.evaluation.files.preparing import Preparation
from irrun.evaluation.files.targets import refuse_inputs
from irrun.evaluation.matching import IGNORED, Matching
from irrun.evaluation.metrics import METRICS, metric
from irrun.evaluation.tally import Score
from irrun.jobs.items import way
from irrun.model import Loaded, load
from irrun.tensor import Array

SOME_FAILED = 1

_matching_options = as_record(
    "matching",
    Matching,
    click.option(
        "--ignore-label",
        "ignored",
        type=int,
        metavar="N",
        help=f"The label of elements that do not count.  [default: {IGNORED}, of classes]",
    ),
    click.option(
        "--threshold",
        type=Number(min=-1e9, max=1e9),
        metavar="T",
        help="Numbers of the output above it are class 1, others class 0.",
    ),
    click.option("--class-axis", "axis", type=int, metavar="N", help="The axis of the classes of the output."),
)


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@click.option("--data", "files", multiple=True, metavar="[NAME=]FILE", help="The inputs, one per row; repeatable.")
@click.option("--batch", "patterns", multiple=True, metavar="PATTERN", help="Files with one input each; repeatable.")
@click.option("--labels", type=FILE, required=True, help="The expected values: .npy, .npz, .csv, .tsv or .txt.")
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    required=True,
    metavar="NAME",
    help=f"topK, such as top1, or one of {', '.join(METRICS)}; repeatable.",
)
@_matching_options
@classes_option
@click.option("--output", metavar="NAME", help="The output to compare; the first by default.")
@click.option(
    "--batch-size",
    type=click.IntRange(min=1),
    metavar="N",
    help="Rows of --data per inference, 32 by default, or files of --batch, 1 by default.",
)
@click.option(
    "--predictions",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --batch: write what was found for each input, .csv or .jsonl.",
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="With --batch: write outputs and records as irrun run --batch does, and run only what is left.",
)
@inputs.shape_option
@inputs.weights_option
@image_options
@workers_options
@compile_options
@usual_options
def command(
    model: Path,
    files: tuple[str, ...],
    patterns: tuple[str, ...],
    labels: Path,
    metrics: tuple[str, ...],
    matching: Matching,
    classes: Sequence[str],
    output: str | None,
    batch_size: int | None,
    predictions: Path | None,
    save: Path | None,
    shapes: tuple[str, ...],
    weights: Path | None,
    preparation: Preparation,
    workers: WorkerOptions,
    settings: CommandSettings,
    output_format: str,
) -> None:
    if bool(files) == bool(patterns):
        raise click.UsageError("expected one of --data and --batch")
    if files and (predictions is not None or save is not None):
        raise click.UsageError("--predictions and --save are for --batch")
    for name in metrics:
        metric(name)
    if predictions is not None:
        rows.check(predictions)
    config = settings.of(model)
    truth = read_labels(labels, classes, config.get("MAX_MEMORY"))
    if patterns:
        batch = run_batch(
            model,
            patterns,
            save,
            config,
            weights=weights,
            shapes=shapes,
            extensions=extensions(),
            batch_size=batch_size or 1,
            preparation=preparation,
            workers=way(*workers, settings.given["threads"]),
        )
        if predictions is not None:
            refuse_inputs([predictions], [model, labels, *(Path(item.path) for item in batch.items)])
        say_findings(batch.model, model)
        say_images(batch)
        if batch.before:
            note(f"{amount(batch.before, 'input')} done before, as {batch.records} says")
        found = evaluate_files(batch, truth, metrics, output=_index(batch.model, output), matching=matching)
        for record in found.failed:
            fail(problem(record))
        if predictions is not None:
            rows.write(predictions, found.predictions)
            note(f"wrote {predictions}")
        if not found.scores:
            raise Failure(f"no input could be run, of {len(batch.items)}")
        if found.failed:
            failed = f"{amount(len(found.failed), 'input')} of {len(batch.items)} failed"
            warn(f"{failed}; the figures are those of the others")
    else:
        loaded, _ = reshape(load(model, weights, extensions=extensions()), shapes)
        say_findings(loaded, model)
        index = _index(loaded, output)
        data = reading.rows(files, loaded.inputs, config.get("MAX_MEMORY"))
        if isinstance(truth, Mapping):
            truth = _only(truth, labels)
        size = batch_size or 32
        scores = evaluate(loaded, data, truth, metrics, output=index, batch_size=size, config=config, matching=matching)
        found = Evaluation(scores)
    _show(found, classes, output_format)
    if found.failed:
        raise click.exceptions.Exit(SOME_FAILED)


def _only(labels: Mapping[str, Array], path: Path) -> Array:
    if path.suffix.lower() == ".npz" and len(labels) == 1:
        return next(iter(labels.values()))
    raise Failure(f"{path} has labels by name, and rows of --data have none; expected an array, or one label a line")


def _show(found: Evaluation, classes: Sequence[str], output_format: str) -> None:
    if output_format == "json":
        record: dict[str, Any] = {name: item.as_dict() for name, item in found.scores.items()}
        failed = {"failed": [item["input"] for item in found.failed]} if found.failed else {}
        result(values.as_json(record | failed))
        return
    for name, item in found.scores.items():
        result(f"{name}: {_text(name, item)}")
        if item.matrix:
            result(_matrix(item, classes))
        else:
            for kind, value in item.classes.items():
                detail(f"  {_name(kind, classes)}: {value:.6g}")


def _text(name: str, found: Score) -> str:
    value, count = found.value, found.count
    ignored = f", {found.ignored} ignored" if found.ignored else ""
    if name.startswith("top") or found.matrix:
        return f"{100 * value:.2f} % ({round(value * count)} of {count}{ignored})"
    return f"{value:.6g} ({amount(count, metric(name).unit)}{ignored})"


def _matrix(found: Score, classes: Sequence[str]) -> str:
    """Format a row for each label, with the number of elements by class that was found."""
    kinds = [_name(kind, classes) for kind in found.classes]
    table = [["label", *kinds], *([name, *map(str, row)] for name, row in zip(kinds, found.matrix, strict=True))]
    return aligned(table, width=columns())


def _name(kind: int, classes: Sequence[str]) -> str:
    return values.printable(classes[kind]) if kind < len(classes) else str(kind)


def _index(model: Loaded, name: str | None) -> int:
    if not model.outputs:
        raise Failure("the model has no outputs")
    return model.output(0 if name is None else name).index
