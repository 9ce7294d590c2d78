"""The accuracy of a model against labels."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from irrun.diagnostics import amount, near_match
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.batch.items import Item, items_of
from irrun.evaluation.batch.running import problem, results
from irrun.evaluation.batch.work import BatchWork
from irrun.evaluation.metrics import METRICS
from irrun.jobs import Way, way
from irrun.jobs.progress import told
from irrun.model import Loaded, build
from irrun.tensor import Array

Pairs = Iterable[tuple[Array, Array]]
"""Outputs of a model, each with its labels."""


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a metric, and the number of labels that it counts."""

    value: float
    count: int


def score(pairs: Pairs, metrics: Sequence[str]) -> dict[str, Score]:
    """Return metrics by name over all pairs of outputs and labels; RequestError where labels do not fit outputs."""
    found = {name: METRICS[name]() for name in metrics}
    for array, expected in pairs:
        for metric in found.values():
            metric.add(array, expected)
    return {name: Score(metric.value(), metric.count) for name, metric in found.items()}


def evaluate(
    model: Loaded,
    data: Mapping[int, Array],
    labels: Array,
    metrics: Sequence[str],
    *,
    output: int = 0,
    batch_size: int = 32,
    config: Mapping[str, Any] | None = None,
) -> dict[str, Score]:
    """Run a model on rows of data, and return metrics by name: ``top1``, ``top5``, ``mse``, ``iou``, ``perplexity``.

    ``data`` are inputs by place, whose first axes are as long as that of ``labels``. ``batch_size`` rows are run at a
    time, or as many as the model takes. ``output`` is the place of the output to compare. RequestError where data or
    labels do not fit.

    >>> evaluate(load("model.xml"), {0: images}, labels, ["top1"])["top1"].value
    """
    return score(_of_rows(model, data, labels, config, batch_size, output), metrics)


def _of_rows(
    model: Loaded,
    data: Mapping[int, Array],
    labels: Array,
    config: Mapping[str, Any] | None,
    size: int,
    output: int,
) -> Iterator[tuple[Array, Array]]:
    """Yield the output and the labels of each batch."""
    count = len(next(iter(data.values()))) if data else 0
    check_count(labels, count, "one for each row of data")
    fixed = {port.partial_shape.dims[0].lo for port in model.inputs if port.partial_shape.dims}
    dynamic = all(port.partial_shape.dims and not port.partial_shape.dims[0].is_static for port in model.inputs)
    step = size if dynamic else min(fixed)
    if count % step and not dynamic:
        raise RequestError(f"there are {count} rows, expected a multiple of {step}, the batch size of the model")
    compiled = build(model, config)
    for at in told(range(0, count, step), "running", unit="batches"):
        outputs = compiled({key: array[at : at + step] for key, array in data.items()})
        yield outputs[output], labels[at : at + step]


def check_count(labels: Array, count: int, which: str) -> None:
    """Raise RequestError unless there is a number of labels."""
    found = len(labels) if labels.ndim else 1
    if labels.ndim == 0 or found != count:
        there = "is" if found == 1 else "are"
        raise RequestError(f"there {there} {amount(found, 'label')}, expected {count}, {which}")


def evaluate_files(
    work: BatchWork,
    inputs: Sequence[str],
    labels: Array | Mapping[str, Array],
    metrics: Sequence[str],
    *,
    output: int = 0,
    workers: Way | None = None,
) -> dict[str, Score]:
    """Run a model on the files of folders, patterns and names, and return metrics by name.

    ``labels`` has an element for each file in natural order, or an array for each by its name. RequestError where one
    has no label, or cannot be run.
    """
    items = items_of(inputs)
    expected = _labels_of(items, labels)
    found = results(work, [(item,) for item in items], workers if workers is not None else way(1, None, None))

    def pairs() -> Generator[tuple[Array, Array], None, None]:
        for number, record in told(found, "running", unit="inputs", total=len(items)):
            if record["status"] == "failed":
                raise RequestError(problem(record))
            array, truth = record["outputs"][output], np.asarray(expected[number])
            yield array, truth[np.newaxis] if truth.ndim + 1 == array.ndim or truth.ndim == 0 else truth

    with closing(pairs()) as some:
        return score(some, metrics)


def _labels_of(items: Sequence[Item], labels: Array | Mapping[str, Array]) -> list[Array]:
    if isinstance(labels, Mapping):
        lost = [item for item in items if item.name not in labels]
        if lost:
            close = near_match(lost[0].name, labels) or f", expected one named {lost[0].name}"
            raise RequestError(f"{lost[0].path} has no label{close}")
        return [labels[item.name] for item in items]
    check_count(labels, len(items), "one for each file")
    return list(labels)
