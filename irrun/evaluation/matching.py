"""Outputs of a model beside their labels: shapes, types and ranges are checked here, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from irrun.diagnostics.requests import RequestError
from irrun.tensor import Array

IGNORED: Final = -100
"""The class that does not count by default, as in PyTorch."""

NO_CLASS: Final = -1
"""The class of scores that hold NaN: it equals no label."""

MOST_CLASSES: Final = 1 << 24
"""The limit on the number of classes of a map."""


class Matching(NamedTuple):
    """The way labels are compared.

    Labels ``ignored`` do not count: by default classes of `IGNORED`, and no numbers. Numbers above ``threshold`` are
    class 1, others class 0. ``axis`` is the one of the classes; without it, the second or the last, whichever leaves
    the shape of the labels.
    """

    ignored: int | None = None
    threshold: float | None = None
    axis: int | None = None


class Pairs(NamedTuple):
    """Predictions beside labels, element by element, and the number of labels that were ignored.

    ``found`` has one axis, or a second one with the scores of each class.
    """

    found: Array
    wanted: Array
    ignored: int = 0


Needs: TypeAlias = Callable[[Array, Array, Matching], Pairs]
"""A function that makes pairs of an output and its labels; RequestError where they do not fit."""


def scores(output: Array, labels: Array, how: Matching) -> Pairs:
    """Return rows of scores, and the class of each."""
    wanted = _integers(labels)
    if output.dtype.kind not in "fiu":
        raise RequestError(f"the output is {_text(output)}, expected scores of classes")
    if _sizes(output.shape) == _sizes(labels.shape) and labels.size and how.axis is None:
        raise RequestError(f"the output {_text(output)} has one number for each label{_remedy(labels)}")
    axis = _class_axis(output, labels, how)
    count = output.shape[axis]
    if count < 2:
        raise RequestError(f"the output {_text(output)} has one class along axis {axis}, expected two or more")
    wanted = wanted.reshape(-1)
    kept = _kept(wanted, how)
    _check_range(wanted[kept], count)
    return Pairs(np.moveaxis(output, axis, -1).reshape(-1, count)[kept], wanted[kept], int((~kept).sum()))


def classes(output: Array, labels: Array, how: Matching) -> Pairs:
    """Return the class that was found for each label: that of the greatest score, or above or below the threshold.

    An output of integers in the shape of the labels holds classes.
    """
    wanted = _integers(labels)
    is_single = _sizes(output.shape) == _sizes(labels.shape)
    if how.threshold is not None:
        if output.dtype.kind not in "fiu" or not is_single:
            shape = _shape(output.shape)
            raise RequestError(f"the labels are {_text(labels)}, expected {shape}, one for each number of the output")
        found, count = _above(output, how.threshold), 2
    elif is_single and output.dtype.kind in "iub":
        found, count = output.astype(np.int64), None
    else:
        rows, kept_labels, ignored = scores(output, labels, how)
        return Pairs(_greatest(rows), kept_labels, ignored)
    wanted = wanted.reshape(-1)
    kept = _kept(wanted, how)
    _check_range(wanted[kept], count)
    return Pairs(found.reshape(-1)[kept], wanted[kept], int((~kept).sum()))


def values(output: Array, labels: Array, how: Matching) -> Pairs:
    """Return numbers beside numbers, as f64."""
    for name, array in (("output is", output), ("labels are", labels)):
        if array.dtype.kind not in "fiu":
            raise RequestError(f"the {name} {_text(array)}, expected numbers")
    if _sizes(output.shape) != _sizes(labels.shape):
        what = f"the labels are {_text(labels)}, expected {_shape(output.shape)}, the shape of the output"
        raise RequestError(f"{what}{_transposed(labels.shape, output.shape)}")
    found, wanted = (array.astype(np.float64).reshape(-1) for array in (output, labels))
    kept = np.ones(wanted.shape, np.bool_) if how.ignored is None else wanted != how.ignored
    return Pairs(found[kept], wanted[kept], int((~kept).sum()))


def _kept(classes: Array, how: Matching) -> Array:
    kept: Array = classes != (IGNORED if how.ignored is None else how.ignored)
    return kept


def _integers(labels: Array) -> Array:
    if labels.dtype.kind not in "iub":
        raise RequestError(f"the labels are {labels.dtype}, expected integers")
    if labels.dtype.kind == "u" and labels.size and labels.max() > np.iinfo(np.int64).max:
        raise RequestError(f"the labels hold {labels.max()}, expected classes")
    return labels.astype(np.int64)


def _class_axis(output: Array, labels: Array, how: Matching) -> int:
    """Return the axis of the classes, without which an output has the shape of the labels, apart from axes of 1."""
    rank = output.ndim
    known = [1, rank - 1] if how.axis is None else [how.axis + rank if how.axis < 0 else how.axis]
    among = [axis for axis in dict.fromkeys(known) if 0 <= axis < rank]
    if not among:
        where = "scores of classes" if how.axis is None else f"an axis {how.axis}"
        raise RequestError(f"the output is {_text(output)}, expected {where}")
    rests = {axis: output.shape[:axis] + output.shape[axis + 1 :] for axis in among}
    fitting = [axis for axis, rest in rests.items() if _sizes(rest) == _sizes(labels.shape)]
    if not fitting:
        wanted = " or ".join(dict.fromkeys(f"{_shape(rest)}" for rest in rests.values()))
        raise RequestError(f"the labels are {_text(labels)}, expected {wanted} for the output {_text(output)}")
    if len(fitting) > 1:
        axes = " and along axis ".join(map(str, fitting))
        what = f"the labels {_text(labels)} fit the output {_text(output)} with classes along axis {axes}"
        raise RequestError(f"{what}; --class-axis {fitting[0]} or {fitting[1]} says where they are")
    return fitting[0]


def _check_range(wanted: Array, count: int | None) -> None:
    """Raise RequestError where a label is no class; ``count`` is the number of classes, if it is known."""
    outside = (wanted < 0) | (wanted >= (MOST_CLASSES if count is None else count))
    if not outside.any():
        return
    low, high = int(wanted.min()), int(wanted.max())
    last = (MOST_CLASSES if count is None else count) - 1
    wrong = np.unique(wanted[outside])
    if low >= 1 and wrong.tolist() == [count]:
        help = "; if labels begin at 1, subtract it"
    elif len(wrong) == 1:
        help = f"; --ignore-label {wrong[0]} leaves it out"
    else:
        help = ""
    some = f"label {wrong[0]} is" if len(wrong) == 1 else f"labels are {low} to {high}, of which {outside.sum()} are"
    raise RequestError(f"{some} outside of the output, expected the classes 0 to {last}{help}")


def _above(output: Array, threshold: float) -> Array:
    with np.errstate(invalid="ignore"):
        found = (output > threshold).astype(np.int64)
    return np.where(np.isnan(output), NO_CLASS, found) if output.dtype.kind == "f" else found


def _greatest(rows: Array) -> Array:
    found = rows.argmax(axis=1)
    return np.where(np.isnan(rows).any(axis=1), NO_CLASS, found) if rows.dtype.kind == "f" else found


def _sizes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without its axes of 1."""
    return tuple(size for size in shape if size != 1)


def _transposed(shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Return which transposition makes one shape of another, with channels first or last."""
    rank = len(shape)
    if rank != len(wanted) or rank < 3:
        return ""
    first, last = (0, rank - 1, *range(1, rank - 1)), (0, *range(2, rank), 1)
    for axes in (first, last):
        if tuple(shape[axis] for axis in axes) == wanted:
            return f"; labels.transpose({', '.join(map(str, axes))}) has it"
    return ""


def _remedy(labels: Array) -> str:
    """Return what helps where an output has the shape of the labels."""
    for axis in dict.fromkeys((1, labels.ndim - 1)):
        is_one_hot = 0 <= axis < labels.ndim and labels.shape[axis] > 1 and np.isin(labels, (0, 1)).all()
        if is_one_hot and (labels.sum(axis) == 1).all():
            return f"; labels.argmax({axis}) makes classes of one-hot labels"
    return (
        "; --threshold 0.5 makes classes 0 and 1 of probabilities, --threshold 0 of logits, for iou, f1 and confusion"
    )


def _text(array: Array) -> str:
    return f"{array.dtype}{_shape(array.shape)}"


def _shape(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"
