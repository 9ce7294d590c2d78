"""The accuracy of a model against labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from irrun.diagnostics.requests import RequestError
from irrun.evaluation.batch.running import Batch
from irrun.evaluation.batch.work import Record
from irrun.evaluation.files.labels import Labels, check_count, labels_of
from irrun.evaluation.files.naming import with_batch
from irrun.evaluation.likeliest import likeliest
from irrun.evaluation.matching import Matching
from irrun.evaluation.tally import Contribution, Score, Tally
from irrun.jobs.progress import told
from irrun.model import Loaded, build
from irrun.tensor import Array

Pairs = Iterable[tuple[Array, Array]]
"""Outputs of a model, each with its labels."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The metrics of the inputs that could be run, the records of those that failed, and a prediction for each input.

    A prediction has ``input``, ``status``, each metric of the input alone, the ``label`` if it is one number, and the
    likeliest ``class`` with its ``score`` if the output is scores.
    """

    scores: Mapping[str, Score]
    failed: Sequence[Record] = ()
    predictions: Sequence[Mapping[str, Any]] = field(default=())


def score(pairs: Pairs, metrics: Sequence[str], matching: Matching = Matching()) -> dict[str, Score]:  # noqa: B008
    """Return metrics by name over all pairs of outputs and labels; RequestError where labels do not fit outputs."""
    tally = Tally(metrics, matching)
    for output, labels in pairs:
        tally.add(tally.part(output, labels))
    return tally.scores()


def evaluate(
    model: Loaded,
    data: Mapping[int, Array],
    labels: Array,
    metrics: Sequence[str],
    *,
    output: int = 0,
    batch_size: int = 32,
    config: Mapping[str, Any] | None = None,
    matching: Matching = Matching(),  # noqa: B008
) -> dict[str, Score]:
    """Run a model on rows of data, and return metrics by name (`irrun.evaluation.metrics`).

    ``data`` are inputs by place, whose first axes are as long as that of ``labels``. ``batch_size`` rows are run at a
    time, or as many as the model takes. ``output`` is the place of the output to compare. RequestError where data or
    labels do not fit.

    >>> evaluate(load("model.xml"), {0: images}, labels, ["top1"])["top1"].value
    """
    return score(_of_rows(model, data, labels, config, batch_size, output), metrics, matching)


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
        what = f"there are {count} rows, expected a multiple of {step}, the batch size of the model"
        text = with_batch(model, None)
        raise RequestError(f"{what}{f'; {text} takes any number' if text else ''}")
    compiled = build(model, config)
    for at in told(range(0, count, step), "running", unit="batches"):
        outputs = compiled({key: array[at : at + step] for key, array in data.items()})
        yield outputs[output], labels[at : at + step]


def evaluate_files(
    batch: Batch,
    labels: Labels,
    metrics: Sequence[str],
    *,
    output: int = 0,
    matching: Matching = Matching(),  # noqa: B008
) -> Evaluation:
    """Run what is left of a batch (`run_batch`), and return the metrics of all of its inputs.

    ``labels`` has an element for each input in natural order, or one for each by its name. Sums are those of the
    inputs in order, so workers do not change the figures. An input that fails is left out. RequestError where an input
    has no label, or one that does not fit.

    >>> evaluate_files(run_batch("model.xml", "images/"), labels, ["top1"]).scores["top1"].value
    """
    expected = labels_of(batch.items, labels)
    places = {item.path: number for number, item in enumerate(batch.items)}
    tally = Tally(metrics, matching)
    failed: dict[int, Record] = {}
    early: dict[int, dict[str, Contribution]] = {}
    predictions: dict[int, dict[str, Any]] = {}
    due = 0
    with closing(batch.all(output)) as records:
        for record, array in records:
            number = places[record["input"]]
            row: dict[str, Any] = {"input": record["input"], "status": record["status"]}
            if array is None:
                failed[number], early[number] = record, {}
                row["error"] = record["error"]
            else:
                early[number] = _part(tally, array, expected[number], record["input"])
                row |= _prediction(array, expected[number]) | tally.values(early[number])
            predictions[number] = row
            while due in early:
                tally.add(early.pop(due))
                due += 1
    scores = tally.scores() if len(failed) < len(batch.items) else {}
    return Evaluation(
        scores, [failed[number] for number in sorted(failed)], [predictions[number] for number in sorted(predictions)]
    )


def _part(tally: Tally, array: Array, labels: Array, name: str) -> dict[str, Contribution]:
    try:
        return tally.part(array, labels)
    except RequestError as error:
        raise RequestError(f"{name}: {error}") from None


def _prediction(array: Array, labels: Array) -> dict[str, Any]:
    found: dict[str, Any] = {"label": labels.item()} if labels.size == 1 else {}
    best = likeliest([array], 1) if array.shape[-1:] != (1,) else []
    return found | best[0][0] if len(best) == 1 else found
