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
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np

from irrun.cli import arrays, inputs, limits, values
from irrun.cli.batch.options import Preparation, image_options
from irrun.cli.console import level, result, text_or_json, verbosity
from irrun.cli.extending import extension_option, extensions
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE
from irrun.cli.jobs import Way, Workers, way, workers_options
from irrun.cli.limits import Limits
from irrun.cli.progress import watched
from irrun.diagnostics import amount, near_match
from irrun.evaluation.accuracy import Score, check_count, evaluate, score
from irrun.evaluation.metrics import METRICS
from irrun.model import Loaded, load
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
        with closing(_of_files(model, weights, patterns, truth, config, preparation, way(*workers), index)) as pairs:
            found = score(pairs, metrics)
    else:
        data = inputs.rows(files, loaded.inputs, config.get("MAX_MEMORY"))
        found = evaluate(
            loaded,
            data,
            arrays.only(truth, labels),
            metrics,
            output=index,
            batch_size=batch_size,
            config=config,
            progress=_progress if level() >= 0 else iter,
        )
    if output_format == "json":
        result(values.as_json({name: asdict(item) for name, item in found.items()}))
        return
    for name, item in found.items():
        result(f"{name}: {_text(name, item)}")


def _progress(starts: Sequence[int]) -> Iterable[int]:
    return watched(starts, len(starts), sys.stderr, unit="batches")


def _text(name: str, found: Score) -> str:
    value, count = found.value, found.count
    if name.startswith("top"):
        return f"{100 * value:.2f} % ({round(value * count)} of {count})"
    return f"{value:.6g} ({amount(count, 'token' if name == 'perplexity' else 'element')})"


def _index(model: Loaded, name: str | None) -> int:
    if not model.outputs:
        raise Failure("the model has no outputs")
    return model.output(0 if name is None else name).index


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
    else:
        check_count(labels, len(items), "one for each file")
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
