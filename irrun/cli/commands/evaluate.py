"""Measure the accuracy of a model against labels.

Accuracy, squared error, overlap or perplexity.

The rows of --data are run --batch-size at a time; the labels have the same first dim. With --batch, each file is one
input, and --labels has a row for each in natural order, or is an .npz file with an array named after each file.

top1 and top5 compare integer classes with scores along the last axis, iou with a class map or scores along the second
axis; perplexity takes logits along the last axis, and ignores labels of -100. (irrun eval runs a single operation.)

\b
Examples:
  irrun evaluate model.xml --data images.npy --labels labels.npy --metric top1
  irrun evaluate model.xml --data X.npz --labels y.npy --metric perplexity
  irrun evaluate model.xml --batch images/ --labels y.npy -m top1 -m top5
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import numpy as np

from irrun.cli import arrays, assignments, inputs, limits, values
from irrun.cli.batch.options import Preparation, image_options
from irrun.cli.console import level, result, text_or_json, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE
from irrun.cli.jobs import Way, Workers, way, workers_options
from irrun.cli.limits import Limits
from irrun.cli.metrics import METRICS, Metric
from irrun.cli.progress import watched
from irrun.diagnostics import amount, near_match
from irrun.model import Loaded, build, load
from irrun.tensor import Array


@click.command(help=__doc__)
@click.argument("model", type=FILE)
@click.option("--data", "files", multiple=True, metavar="[NAME=]FILE", help="The inputs, one per row; repeatable.")
@click.option("--batch", "patterns", multiple=True, metavar="PATTERN", help="Files with one input each; repeatable.")
@click.option("--labels", type=FILE, required=True, help="The expected values: an .npy or .npz file.")
@click.option("-m", "--metric", "metrics", multiple=True, required=True, type=click.Choice(list(METRICS)))
@click.option("--output", metavar="NAME", help="The output to compare; the first by default.")
@click.option("--batch-size", type=click.IntRange(min=1), metavar="N", default=32, help="Rows of --data per inference.")
@click.option("--weights", type=FILE, help="The weights file, if it is not beside the model.")
@image_options
@workers_options
@limits.options
@extension_option
@text_or_json
@verbosity
def command(
    model: Path,
    files: tuple[str, ...],
    patterns: tuple[str, ...],
    labels: Path,
    metrics: tuple[str, ...],
    output: str | None,
    batch_size: int,
    weights: Path | None,
    preparation: Preparation,
    workers: Workers,
    limit: Limits,
    output_format: str,
) -> None:
    if bool(files) == bool(patterns):
        raise click.UsageError("expected one of --data and --batch")
    loaded = load(model, weights, extensions=extensions())
    index = _index(loaded, output)
    config = limit.settings(model)
    say_findings(loaded, model)
    truth = arrays.load(labels, config.get("MAX_MEMORY"))
    if patterns:
        pairs = _of_files(model, weights, patterns, truth, config, preparation, way(*workers), index)
    else:
        pairs = _of_rows(loaded, files, arrays.load_one(labels, config.get("MAX_MEMORY")), config, batch_size, index)
    found = {name: METRICS[name]() for name in metrics}
    with closing(pairs):
        for array, expected in pairs:
            for metric in found.values():
                metric.add(array, expected)
    if output_format == "json":
        result(values.as_json({name: {"value": item.value(), "count": item.count} for name, item in found.items()}))
        return
    for name, item in found.items():
        result(f"{name}: {_text(name, item)}")


def _text(name: str, metric: Metric) -> str:
    value = metric.value()
    if name.startswith("top"):
        return f"{100 * value:.2f} % ({round(value * metric.count)} of {metric.count})"
    return f"{value:.6g} ({amount(metric.count, 'token' if name == 'perplexity' else 'element')})"


def _index(model: Loaded, name: str | None) -> int:
    if not model.outputs:
        raise Failure("the model has no outputs")
    return model.output(0 if name is None else name).index


def _of_rows(
    model: Loaded, files: Sequence[str], labels: Array, config: Mapping[str, Any], size: int, index: int
) -> Generator[tuple[Array, Array], None, None]:
    """Yield the outputs and labels of rows, ``size`` at a time or as many as the model takes."""
    whole, first = inputs.rows(files, model.inputs, config.get("MAX_MEMORY"))
    missing = [port for port in model.inputs if port.index not in whole]
    if missing:
        raise Failure(f"no value for input {assignments.listed(missing)}")
    if labels.ndim == 0 or len(labels) != first:
        raise Failure(f"{_labels(labels)}, expected {first}, one for each row of data")
    fixed = {port.partial_shape.dims[0].lo for port in model.inputs if port.partial_shape.dims}
    dynamic = all(port.partial_shape.dims and not port.partial_shape.dims[0].is_static for port in model.inputs)
    step = size if dynamic else min(fixed)
    if first % step and not dynamic:
        raise Failure(f"there are {first} rows, expected a multiple of {step}, the batch size of the model")
    compiled = build(model, config)
    starts = range(0, first, step)
    for at in watched(starts, len(starts), sys.stderr, unit="batches") if level() >= 0 else starts:
        outputs = compiled({key: array[at : at + step] for key, array in whole.items()})
        yield outputs[index], labels[at : at + step]


def _labels(labels: Array) -> str:
    count = len(labels) if labels.ndim else 1
    return "there is 1 label" if count == 1 else f"there are {count} labels"


def _of_files(
    model: Path,
    weights: Path | None,
    patterns: Sequence[str],
    labels: Array | dict[str, Array],
    config: Mapping[str, Any],
    preparation: Preparation,
    way: Way,
    index: int,
) -> Generator[tuple[Array, Array], None, None]:
    """Yield the output and the labels of each file; Failure where one has none, or cannot be run."""
    from irrun.cli.batch import run as driver
    from irrun.cli.batch.items import items_of
    from irrun.cli.batch.work import Inference

    items = items_of(patterns)
    if isinstance(labels, dict):
        lost = [item for item in items if item.name not in labels]
        if lost:
            close = near_match(lost[0].name, labels) or f", expected one named {lost[0].name}"
            raise Failure(f"{lost[0].path} has no label{close}")
        expected = [labels[item.name] for item in items]
    elif labels.ndim == 0 or len(labels) != len(items):
        raise Failure(f"{_labels(labels)}, expected {len(items)}, one for each file")
    else:
        expected = list(labels)
    work = Inference(
        model,
        weights,
        {**config, "INFERENCE_NUM_THREADS": way.threads},
        extensions=[str(Path(path).absolute()) for path in extensions()],
        preparation=preparation,
        travels=way.scheduler is not None,
    )
    for number, record in driver.results(work, [(item,) for item in items], way):
        if record["status"] == "failed":
            raise Failure(driver.problem(record))
        array, truth = record["outputs"][index], np.asarray(expected[number])
        yield array, truth[np.newaxis] if truth.ndim + 1 == array.ndim or truth.ndim == 0 else truth
