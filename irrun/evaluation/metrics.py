"""Metrics: each is one declaration of what it compares, what a part of the data adds, and its value."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from irrun.diagnostics import near_match
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.matching import NO_CLASS, Needs, classes, scores, values
from irrun.tensor import Array

Confusion = Counter[tuple[int, int]]
"""The number of elements by label and class that was found."""

Share = Callable[[int, int, int], float]
"""A figure of one class: of the elements that have it in both, in what was found, and in the labels."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of what was found beside what was wanted.

    ``part`` returns what pairs add: sums of parts are those of the whole. ``whole`` makes the value of these sums and
    the number of pairs. ``unit`` is what a pair is. ``of_class`` is the figure of each class, if it has one;
    ``is_matrix`` says that the counts themselves are shown.
    """

    name: str
    about: str
    needs: Needs
    part: Callable[[Array, Array], Any]
    whole: Callable[[Any, int], float]
    better: Literal["higher", "lower"] = "higher"
    unit: str = "element"
    of_class: Share | None = None
    is_matrix: bool = False


@dataclass(frozen=True, slots=True)
class Spread:
    """The squared error of numbers, and the mean and the squared deviations of what was wanted."""

    count: int
    mean: float
    deviations: float
    error: float

    @staticmethod
    def of(found: Array, wanted: Array) -> Spread:
        mean = float(wanted.mean()) if wanted.size else 0.0
        return Spread(wanted.size, mean, float(np.square(wanted - mean).sum()), _squared(found, wanted))

    def __add__(self, other: Spread) -> Spread:
        count = max(1, self.count + other.count)
        gap = other.mean - self.mean
        between = gap * gap * self.count * other.count / count
        return Spread(
            self.count + other.count,
            self.mean + gap * other.count / count,
            self.deviations + other.deviations + between,
            self.error + other.error,
        )

    def explained(self) -> float:
        if self.deviations == 0:
            raise RequestError(f"r2: every label is {self.mean:g}, expected labels that differ")
        return 1 - self.error / self.deviations


def _squared(found: Array, wanted: Array) -> float:
    return float(np.square(found - wanted).sum())


def _absolute(found: Array, wanted: Array) -> float:
    return float(np.abs(found - wanted).sum())


def _hits(k: int, rows: Array, wanted: Array) -> int:
    """Count rows whose label is among the k greatest scores, the first of equal ones; a row with NaN is wrong."""
    if rows.shape[1] <= k:
        raise RequestError(f"top{k} of {rows.shape[1]} classes is always 100 %, expected more than {k} classes")
    own = np.take_along_axis(rows, wanted[:, np.newaxis], axis=1)
    before = np.arange(rows.shape[1]) < wanted[:, np.newaxis]
    better = np.count_nonzero((rows > own) | ((rows == own) & before), axis=1)
    right = better < k
    return int(np.count_nonzero(right & ~np.isnan(rows).any(axis=1) if rows.dtype.kind == "f" else right))


def _surprise(rows: Array, wanted: Array) -> float:
    """Sum the negative logarithms of the probabilities of the labels; RequestError where scores are no logits."""
    logits = rows.astype(np.float64)
    if logits.size and (logits >= 0).all() and np.allclose(logits.sum(axis=1), 1, atol=1e-3):
        raise RequestError("perplexity: each row of scores sums to 1, as probabilities do, expected logits")
    peak = logits.max(axis=1, keepdims=True, initial=-math.inf)
    with np.errstate(invalid="ignore"):
        total = np.log(np.exp(logits - peak).sum(axis=1)) + peak[:, 0]
    return float((total - logits[np.arange(len(wanted)), wanted]).sum())


def _exponential(total: float, count: int) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(total / count))


def _confusion(found: Array, wanted: Array) -> Confusion:
    width = int(found.max(initial=0)) + 2
    codes, counts = _counted(wanted * width + np.maximum(found, NO_CLASS) - NO_CLASS)
    labels, kinds = codes // width, codes % width + NO_CLASS
    return Counter(dict(zip(zip(labels.tolist(), kinds.tolist(), strict=True), counts.tolist(), strict=True)))


def _counted(codes: Array) -> tuple[Array, Array]:
    """Return the different integers of an array, which are not negative, and the number of each."""
    if codes.max(initial=0) > codes.size:
        values, counts = np.unique(codes, return_counts=True)
        return values, counts
    counts = np.bincount(codes)
    values = np.flatnonzero(counts)
    return values, counts[values]


def by_class(confusion: Confusion, share: Share) -> dict[int, float]:
    """Return the figure of each class that is found or wanted."""
    both, found, wanted = Counter[int](), Counter[int](), Counter[int]()
    for (label, kind), count in confusion.items():
        wanted[label] += count
        found[kind] += count
        both[label] += count * (label == kind)
    return {kind: share(both[kind], found[kind], wanted[kind]) for kind in sorted(found | wanted) if kind >= 0}


def _mean_of_classes(share: Share) -> Callable[[Confusion, int], float]:
    def whole(confusion: Confusion, _count: int) -> float:
        shares = by_class(confusion, share).values()
        return math.fsum(shares) / len(shares)

    return whole


def _diagonal(confusion: Confusion, count: int) -> float:
    return sum(n for (label, kind), n in confusion.items() if label == kind) / count


def _overlap(both: int, found: int, wanted: int) -> float:
    return both / (found + wanted - both)


def _harmonic(both: int, found: int, wanted: int) -> float:
    return 2 * both / (found + wanted)


def _recall(both: int, _found: int, wanted: int) -> float:
    return both / wanted if wanted else math.nan


def _mean(total: float, count: int) -> float:
    return total / count


def top(k: int) -> Metric:
    """Return the metric ``topK``."""
    about = "share of labels that have one of the K greatest scores, in percent"
    return Metric(f"top{k}", about, scores, partial(_hits, k), _mean, unit="label")


METRICS: Final[Mapping[str, Metric]] = {
    metric.name: metric
    for metric in (
        Metric(
            "iou",
            "intersection over union, the mean of all classes that are found or wanted",
            *(classes, _confusion, _mean_of_classes(_overlap)),
            of_class=_overlap,
        ),
        Metric(
            "f1",
            "harmonic mean of precision and recall, the mean of all classes that are found or wanted",
            *(classes, _confusion, _mean_of_classes(_harmonic)),
            of_class=_harmonic,
        ),
        Metric(
            "confusion",
            "number of elements by label and class that was found; the value is the share of equal ones",
            *(classes, _confusion, _diagonal),
            of_class=_recall,
            is_matrix=True,
        ),
        Metric("mse", "mean squared error", values, _squared, _mean, "lower"),
        Metric(
            "rmse",
            "root of the mean squared error",
            *(values, _squared, lambda total, count: math.sqrt(total / count)),
            better="lower",
        ),
        Metric("mae", "mean absolute error", values, _absolute, _mean, "lower"),
        Metric(
            "r2",
            "coefficient of determination, of all elements together",
            *(values, Spread.of, lambda spread, _: spread.explained()),
        ),
        Metric(
            "perplexity",
            "exponential of the mean negative logarithm of the probability of a label",
            *(scores, _surprise, _exponential),
            better="lower",
            unit="token",
        ),
    )
}
"""Metrics by name; `metric` knows ``topK`` for every K too."""


def metric(name: str) -> Metric:
    """Return the metric of a name; RequestError where there is none."""
    known = METRICS.get(name)
    if known is not None:
        return known
    match = re.fullmatch(r"top([1-9]\d{0,5})", name)
    if match is not None:
        return top(int(match[1]))
    close = near_match(name, ("top1", "top5", *METRICS)) or f", expected top1, top5, {', '.join(METRICS)}"
    raise RequestError(f"no metric {name}{close}")
