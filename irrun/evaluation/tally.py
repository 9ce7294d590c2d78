"""Metrics over outputs that come part by part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irrun.diagnostics.requests import RequestError
from irrun.evaluation.matching import Matching
from irrun.evaluation.metrics import Metric, by_class, metric
from irrun.tensor import Array


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a metric, the number of labels that it counts, and of those that it was told to ignore.

    ``classes`` has the figure of each class, if the metric has one; ``matrix`` of a confusion matrix has a row for each
    of these labels, and in it the number of elements that were found to be of each class.
    """

    value: float
    count: int
    ignored: int = 0
    classes: Mapping[int, float] = field(default_factory=dict)
    matrix: tuple[tuple[int, ...], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields, without those that are empty."""
        record: dict[str, Any] = {"value": self.value, "count": self.count, "ignored": self.ignored}
        record |= {"classes": dict(self.classes), "matrix": [list(row) for row in self.matrix]}
        return {name: item for name, item in record.items() if item or name in ("value", "count")}


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of one output to a metric."""

    sums: Any
    count: int
    ignored: int

    def __add__(self, other: Contribution) -> Contribution:
        return Contribution(self.sums + other.sums, self.count + other.count, self.ignored + other.ignored)


class Tally:
    """Metrics over outputs that come part by part."""

    def __init__(self, names: Iterable[str], how: Matching = Matching()) -> None:  # noqa: B008
        self._metrics, self._how = {name: metric(name) for name in names}, how
        self._parts: dict[str, Contribution] = {}

    def part(self, output: Array, labels: Array) -> dict[str, Contribution]:
        """Return what an output adds to each metric; RequestError where the labels do not fit it."""
        with np.errstate(all="ignore"):
            return self._parts_of(output, labels)

    def _parts_of(self, output: Array, labels: Array) -> dict[str, Contribution]:
        pairs = {item.needs: item.needs(output, labels, self._how) for item in self._metrics.values()}
        parts = {}
        for name, item in self._metrics.items():
            found, wanted, ignored = pairs[item.needs]
            parts[name] = Contribution(item.part(found, wanted), len(wanted), ignored)
        return parts

    def add(self, parts: Mapping[str, Contribution]) -> None:
        for name, part in parts.items():
            self._parts[name] = self._parts[name] + part if name in self._parts else part

    def scores(self) -> dict[str, Score]:
        """Return all metrics by name; RequestError where one has nothing to count."""
        return {name: _score(self._metrics[name], part) for name, part in self._parts.items()}

    def values(self, parts: Mapping[str, Contribution]) -> dict[str, float | None]:
        """Return each metric of some parts alone; None where it has no value."""
        found: dict[str, float | None] = {}
        for name, part in parts.items():
            try:
                found[name] = _score(self._metrics[name], part).value
            except RequestError:
                found[name] = None
        return found


def _score(metric: Metric, part: Contribution) -> Score:
    if part.count == 0:
        rest = f": each of {part.ignored} labels is one to ignore" if part.ignored else ""
        raise RequestError(f"{metric.name} has no label to count{rest}")
    value = metric.whole(part.sums, part.count)
    if metric.of_class is None:
        return Score(value, part.count, part.ignored)
    shares = by_class(part.sums, metric.of_class)
    rows = shares if metric.is_matrix else ()
    matrix = tuple(tuple(part.sums[label, kind] for kind in shares) for label in rows)
    return Score(value, part.count, part.ignored, shares, matrix)
