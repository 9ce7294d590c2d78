"""Metrics of outputs against labels, summed over many inputs, and the likeliest classes of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol

import numpy as np

from irrun.diagnostics import amount
from irrun.diagnostics.requests import RequestError
from irrun.tensor import Array

IGNORED: Final = -100
"""The label of tokens that do not count, as in PyTorch."""


MOST_ROWS: Final = 10
"""The number of rows up to which an array holds scores to show."""


class Metric(Protocol):
    """A metric that is given outputs and labels, part by part."""

    def add(self, output: Array, labels: Array) -> None: ...
    def value(self) -> float: ...
    @property
    def count(self) -> int: ...


class _Mean:
    """The base of means over what was counted."""

    def __init__(self) -> None:
        self._sum, self.count = 0.0, 0

    def value(self) -> float:
        return self._sum / self.count if self.count else math.nan


class TopK(_Mean):
    """The share of rows whose label is among the k greatest scores; a row with NaN is wrong."""

    def __init__(self, k: int) -> None:
        super().__init__()
        self._k = k

    def add(self, output: Array, labels: Array) -> None:
        rows, wanted = _rows(output, labels)
        wrong = np.isnan(rows).any(axis=1) if rows.dtype.kind == "f" else np.zeros(len(rows), dtype=np.bool_)
        best = _best(rows, self._k)
        self._sum += int(np.count_nonzero((best == wanted[:, np.newaxis]).any(axis=1) & ~wrong))
        self.count += len(rows)


class MeanSquaredError(_Mean):
    """The mean of the squared differences of all elements."""

    def add(self, output: Array, labels: Array) -> None:
        if output.size != labels.size or labels.dtype.kind not in "fiu":
            raise RequestError(f"the labels are {_text(labels)}, expected the shape of the output, {_shape(output)}")
        difference = output.astype(np.float64).reshape(-1) - labels.astype(np.float64).reshape(-1)
        self._sum += float(np.square(difference).sum())
        self.count += output.size


class IntersectionOverUnion:
    """The mean over classes of intersection over union; classes in neither are left out.

    The output holds classes, or scores along its second axis where it has one axis more than the labels.
    """

    def __init__(self) -> None:
        self._both: dict[int, int] = {}
        self._either: dict[int, int] = {}
        self.count: int = 0

    def add(self, output: Array, labels: Array) -> None:
        _require_integers(labels)
        found = output.argmax(axis=1) if output.ndim == labels.ndim + 1 and output.ndim > 1 else output
        if found.shape != labels.shape:
            what = f"the labels are {_text(labels)}, and the output is {_shape(output)}"
            raise RequestError(f"{what}; expected equal shapes, or scores along the second axis")
        for kind in np.union1d(found, labels).tolist():
            here, there = found == kind, labels == kind
            self._both[kind] = self._both.get(kind, 0) + int(np.count_nonzero(here & there))
            self._either[kind] = self._either.get(kind, 0) + int(np.count_nonzero(here | there))
        self.count += labels.size

    def value(self) -> float:
        shares = [self._both[kind] / self._either[kind] for kind in self._either]
        return sum(shares) / len(shares) if shares else math.nan


class Perplexity(_Mean):
    """The exponential of the mean negative log likelihood of the labels; the scores are logits.

    A label of -100 does not count.
    """

    def add(self, output: Array, labels: Array) -> None:
        rows, wanted = _rows(output, labels)
        kept = wanted != IGNORED
        logits, wanted = rows[kept].astype(np.float64), wanted[kept]
        if wanted.size and not 0 <= wanted.min() <= wanted.max() < logits.shape[1]:
            raise RequestError(f"a label is outside of 0 to {logits.shape[1] - 1}, expected classes of the output")
        peak = logits.max(axis=1, keepdims=True, initial=-math.inf)
        total = np.log(np.exp(logits - peak).sum(axis=1)) + peak[:, 0]
        self._sum += float((total - logits[np.arange(len(wanted)), wanted]).sum())
        self.count += len(wanted)

    def value(self) -> float:
        return math.exp(super().value())


METRICS: Final[Mapping[str, Callable[[], Metric]]] = {
    "top1": lambda: TopK(1),
    "top5": lambda: TopK(5),
    "mse": MeanSquaredError,
    "iou": IntersectionOverUnion,
    "perplexity": Perplexity,
}


def likeliest(arrays: Iterable[Array], count: int) -> list[list[dict[str, Any]]]:
    """Return the likeliest classes of each row, with scores, of the first array that holds a few rows of scores."""
    for array in arrays:
        if array.ndim not in (1, 2) or array.dtype.kind not in "fiu" or array.size == 0:
            continue
        rows = array.reshape(-1, array.shape[-1])
        if len(rows) <= MOST_ROWS:
            best = zip(rows, _best(rows, count).tolist(), strict=True)
            return [[{"class": index, "score": row[index].item()} for index in order] for row, order in best]
    return []


def _best(rows: Array, count: int) -> Array:
    """Return the classes of the greatest scores of each row, the greatest first."""
    return np.argsort(-rows.astype(np.float64), axis=1, kind="stable")[:, :count]


def _rows(output: Array, labels: Array) -> tuple[Array, Array]:
    """Return scores as rows, and the label of each; RequestError where they do not match."""
    _require_integers(labels)
    if output.ndim == 0 or output.dtype.kind not in "fiu" or output.shape[-1] == 0:
        raise RequestError(f"the output is {_text(output)}, expected scores along its last axis")
    rows = output.reshape(-1, output.shape[-1])
    if labels.size != len(rows) or labels.size == 0:
        raise RequestError(
            f"expected {amount(len(rows), 'label')}, one for each row of {_shape(output)}, got {labels.size}"
        )
    return rows, labels.reshape(-1)


def _require_integers(labels: Array) -> None:
    if labels.dtype.kind not in "iu":
        raise RequestError(f"the labels are {labels.dtype}, expected integers")


def _text(array: Array) -> str:
    return f"{array.dtype}{_shape(array)}"


def _shape(array: Array) -> str:
    return f"[{','.join(map(str, array.shape))}]"
