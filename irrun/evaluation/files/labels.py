"""Labels from files: arrays, tables of file names, and names of classes."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

import numpy as np

from irrun.diagnostics import amount, near_match
from irrun.diagnostics.requests import RequestError
from irrun.document.files import content
from irrun.evaluation.batch.items import BatchItem
from irrun.evaluation.files import arrays
from irrun.tensor import Array

Labels: TypeAlias = Array | Mapping[str, Array]
"""A label for each input in order, or by its name."""

TABLES: Final = (".csv", ".tsv", ".txt")

_LARGEST: Final = 1 << 28


def read_labels(path: Path, names: Sequence[str] = (), budget: int | None = None) -> Labels:
    """Return the labels of an ``.npy``, ``.npz``, ``.csv``, ``.tsv`` or ``.txt`` file.

    A line of a table is the name of a file and its label, or several numbers; without names, labels are in order.
    ``names`` are those of the classes, which labels may be written as. RequestError for anything else.
    """
    if path.suffix.lower() not in TABLES:
        return arrays.load(path, budget)
    known = {name: number for number, name in enumerate(names)}
    rows = [(number, cells) for number, cells in enumerate(_cells(path), 1) if cells]
    if rows and _is_head(rows[0][1], known):
        del rows[0]
    if not rows:
        raise RequestError(f"{path} has no labels, expected lines of a name and a label")
    width = len(rows[0][1])
    for number, cells in rows:
        if len(cells) != width:
            raise RequestError(
                f"{path}:{number}: {amount(len(cells), 'column')}, expected {width} as in the lines before"
            )
    numbers = [_numbers(f"{path}:{number}", cells[min(1, width - 1) :], known) for number, cells in rows]
    whole = all(isinstance(item, int) for row in numbers for item in row)
    values = np.array(numbers, np.int64 if whole else np.float64)
    if width == 1:
        return values[:, 0]
    found: dict[str, Array] = {}
    for (number, cells), value in zip(rows, values, strict=True):
        name = cells[0].replace("\\", "/").removeprefix("./")
        label = value[0] if width == 2 else value
        if name in found and not np.array_equal(found[name], label):
            raise RequestError(f"{path}:{number}: {cells[0]} has two labels, expected one")
        found[name] = np.asarray(label)
    return found


def read_classes(path: Path) -> list[str]:
    """Return the names of classes, one a line, in order; RequestError where one occurs twice."""
    names = [line.strip() for line in _text(path).splitlines()]
    while names and not names[-1]:
        names.pop()
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None or not names:
        what = "has no names" if twice is None else f'has "{twice}" twice'
        raise RequestError(f"{path} {what}, expected the name of a class in each line")
    return names


def labels_of(items: Sequence[BatchItem], labels: Labels) -> list[Array]:
    """Return the label of each input; RequestError where one has none.

    Names are those of outputs, or paths below the folder of the inputs, or names of files that occur once; each with or
    without its suffix.
    """
    if not isinstance(labels, Mapping):
        check_count(labels, len(items), "one for each file")
        return [np.asarray(label) for label in labels]
    counts = Counter(name for item in items for name in {Path(item.path).name, Path(item.path).stem})
    found = []
    for item in items:
        path = PurePosixPath(Path(item.path).as_posix())
        short = [name for name in (path.name, path.stem) if counts[name] == 1]
        known = next((name for name in (item.name, f"{item.name}{path.suffix}", *short) if name in labels), None)
        if known is None:
            close = near_match(item.name, labels) or f", expected one named {item.name}"
            raise RequestError(f"{item.path} has no label{close}")
        found.append(np.asarray(labels[known]))
    return found


def check_count(labels: Array, count: int, which: str) -> None:
    """Raise RequestError unless there is a number of labels."""
    found = len(labels) if labels.ndim else 1
    if labels.ndim == 0 or found != count:
        there = "is" if found == 1 else "are"
        raise RequestError(f"there {there} {amount(found, 'label')}, expected {count}, {which}")


def _cells(path: Path) -> list[list[str]]:
    """Return the cells of each line, divided at commas, tabs or the last space."""
    lines = _text(path).splitlines()
    first = next((line for line in lines if line.strip()), "")
    mark = next((mark for mark in ("\t", ",", ";") if mark in first), None)
    if mark is None:
        return [line.rsplit(None, 1) for line in lines]
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark, strict=True)]
    except csv.Error as error:
        raise RequestError(f"{path} cannot be read as a table: {error}") from None


def _is_head(cells: Sequence[str], classes: Mapping[str, int]) -> bool:
    """Return whether the first line names the columns: its labels are neither numbers nor classes."""
    return all(_number(cell) is None and cell not in classes for cell in cells[min(1, len(cells) - 1) :])


def _numbers(where: str, cells: Sequence[str], classes: Mapping[str, int]) -> list[int | float]:
    found: list[int | float] = []
    for cell in cells:
        number = classes.get(cell, _number(cell))
        if number is None:
            more = "" if classes else "; --classes names the classes"
            close = near_match(cell, classes) or f", expected a number{more}"
            raise RequestError(f'{where}: no class "{cell}"{close}')
        found.append(number)
    return found


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            value = kind(text)
        except (ValueError, OverflowError):
            continue
        return value if isinstance(value, float) or abs(value) < 1 << 63 else None
    return None


def _text(path: Path) -> str:
    try:
        return content(path, _LARGEST).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RequestError(f"{path} is not text in UTF-8") from None
