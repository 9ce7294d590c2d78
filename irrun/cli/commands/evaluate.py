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

from dataclasses import asdict
from pathlib import Path

import click

from irrun.cli import limits, values
from irrun.cli.batch import image_options
from irrun.cli.console import result
from irrun.cli.extending import extensions
from irrun.cli.failures import Failure
from irrun.cli.findings import say_findings
from irrun.cli.inputs import FILE, usual_options
from irrun.cli.jobs import Workers, workers_options
from irrun.cli.settings import Settings
from irrun.diagnostics import amount
from irrun.evaluation.accuracy import Score, evaluate, evaluate_files
from irrun.evaluation.batch.work import BatchWork
from irrun.evaluation.files import arrays, reading
from irrun.evaluation.files.images import Preparation
from irrun.evaluation.metrics import METRICS
from irrun.jobs import way
from irrun.model import Loaded, load
from irrun.model.inference import Inference


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
@usual_options
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
    settings: Settings,
    output_format: str,
) -> None:
    if bool(files) == bool(patterns):
        raise click.UsageError("expected one of --data and --batch")
    loaded = load(model, weights, extensions=extensions())
    index = _index(loaded, output)
    config = settings.of(model)
    say_findings(loaded, model)
    truth = arrays.load(labels, config.get("MAX_MEMORY"))
    if patterns:
        spread = way(*workers)
        inference = Inference(
            model,
            weights,
            {**config, "INFERENCE_NUM_THREADS": spread.threads},
            extensions=extensions(),
            travels=spread.scheduler is not None,
        )
        found = evaluate_files(
            BatchWork(inference, preparation=preparation),
            patterns,
            truth,
            metrics,
            output=index,
            workers=spread,
        )
    else:
        data = reading.rows(files, loaded.inputs, config.get("MAX_MEMORY"))
        found = evaluate(
            loaded,
            data,
            arrays.only(truth, labels),
            metrics,
            output=index,
            batch_size=batch_size,
            config=config,
        )
    if output_format == "json":
        result(values.as_json({name: asdict(item) for name, item in found.items()}))
        return
    for name, item in found.items():
        result(f"{name}: {_text(name, item)}")


def _text(name: str, found: Score) -> str:
    value, count = found.value, found.count
    if name.startswith("top"):
        return f"{100 * value:.2f} % ({round(value * count)} of {count})"
    return f"{value:.6g} ({amount(count, 'token' if name == 'perplexity' else 'element')})"


def _index(model: Loaded, name: str | None) -> int:
    if not model.outputs:
        raise Failure("the model has no outputs")
    return model.output(0 if name is None else name).index
