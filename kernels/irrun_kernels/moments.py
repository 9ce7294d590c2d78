"""Means and variances of groups of lines, in any layout, and the factors that normalize them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from irrun_kernels.functions import divide, fill
from irrun_kernels.native import Address, Read, Write, floats, inlined, kernel, record
from irrun_kernels.rows import squares, total

_BLOCK: Final = 4096
"""Elements that are read twice, roughly, while they are in the nearest cache."""


class Moments(NamedTuple):
    """Arguments of `moments`: ``x`` [stacks, size, columns] is contiguous.

    A line is what is along ``size``; it is cut into some ``parts``. ``means`` and ``squares`` are [parts, lines], of
    stacks * columns lines: the mean of each part, and the sum of squares of the distances from it, or from zero unless
    ``centred``. A task has some parts of stacks; workspace takes three times ``columns`` f32.
    """

    x: Read[Address]
    means: Write[Address]
    squares: Write[Address]
    stacks: int
    size: int
    columns: int
    parts: int
    centred: int
    units_per_task: int


@kernel(Moments)
def moments(arguments: Any, task: int, workspace: int) -> None:
    """Means and sums of squares of parts of lines; blocks of a part are combined as Chan, Golub and LeVeque do."""
    c = record(arguments)
    lines = c.stacks * c.columns
    near, sums = floats(workspace, c.columns), floats(workspace + 4 * c.columns, c.columns)
    for unit in range(task * c.units_per_task, min(c.stacks * c.parts, (task + 1) * c.units_per_task)):
        stack, part = unit // c.parts, unit % c.parts
        first, last = part * c.size // c.parts, (part + 1) * c.size // c.parts
        place = 4 * (part * lines + stack * c.columns)
        means, spread = floats(c.means + place, c.columns), floats(c.squares + place, c.columns)
        fill(means, np.float32(0))
        fill(spread, np.float32(0))
        each = max(_BLOCK // c.columns, 1)
        for begin in range(first, last, each):
            count = min(each, last - begin)
            block = floats(c.x + 4 * (stack * c.size + begin) * c.columns, count * c.columns)
            if c.columns == 1:
                near[0] = total(block) / np.float32(count) if c.centred != 0 else np.float32(0)
                sums[0] = squares(block, near[0])
            else:
                fill(near, np.float32(0))
                fill(sums, np.float32(0))
                if c.centred != 0:
                    _add_rows(near, block, count)
                    divide(near, np.float32(count))
                _add_squares(sums, near, block, count)
            _combine(means, spread, near, sums, np.float32(begin - first), np.float32(count))


@inlined
def _add_rows(out: Any, x: Any, rows: int) -> None:
    """Add the rows of a matrix."""
    columns = len(out)
    for row in range(0, rows - 3, 4):
        a, b = x[row * columns : (row + 1) * columns], x[(row + 1) * columns : (row + 2) * columns]
        c, d = x[(row + 2) * columns : (row + 3) * columns], x[(row + 3) * columns : (row + 4) * columns]
        for i in range(columns):
            out[i] += (a[i] + b[i]) + (c[i] + d[i])
    for row in range(rows // 4 * 4, rows):
        last = x[row * columns : (row + 1) * columns]
        for i in range(columns):
            out[i] += last[i]


@inlined
def _add_squares(out: Any, near: Any, x: Any, rows: int) -> None:
    """Add the squares of the distances of the rows of a matrix from a row."""
    columns = len(out)
    for row in range(0, rows - 1, 2):
        a, b = x[row * columns : (row + 1) * columns], x[(row + 1) * columns : (row + 2) * columns]
        for i in range(columns):
            out[i] += (a[i] - near[i]) * (a[i] - near[i]) + (b[i] - near[i]) * (b[i] - near[i])
    if rows % 2 == 1:
        last = x[(rows - 1) * columns : rows * columns]
        for i in range(columns):
            out[i] += (last[i] - near[i]) * (last[i] - near[i])


@inlined
def _combine(means: Any, spread: Any, near: Any, sums: Any, before: Any, count: Any) -> None:
    """Combine the moments of ``before`` elements with those of ``count`` more."""
    share = count / (before + count)
    for i in range(len(means)):
        distance = near[i] - means[i]
        means[i] += distance * share
        spread[i] += sums[i] + distance * distance * before * share


INSIDE, OUTSIDE, LEAST, ABSENT = range(4)
"""Where eps is added: to a mean or sum of squares, or to its root; or it is the least such sum, or nothing divides."""


class Normalization(NamedTuple):
    """Arguments of `factors`, which follow from `Moments`.

    Groups of ``members`` lines have one mean and one sum of squares, which is divided by the number of elements if
    ``is_mean``. ``means`` and ``out`` are [lines]: the mean of the group, and what multiplies the distance from it.
    Line i is of channel i % ``channels``, which is multiplied by ``gamma`` unless that is absent.
    """

    parts_means: Read[Address]
    parts_squares: Read[Address]
    gamma: Read[Address]
    means: Write[Address]
    out: Write[Address]
    lines: int
    members: int
    size: int
    parts: int
    channels: int
    is_mean: int
    mode: int
    eps: float
    groups_per_task: int


@kernel(Normalization)
def factors(arguments: Any, task: int, workspace: int) -> None:
    """The mean and the factor of each line."""
    c = record(arguments)
    everything = c.parts * c.lines
    means, sums = floats(c.parts_means, everything), floats(c.parts_squares, everything)
    out_means, out, gamma = floats(c.means, c.lines), floats(c.out, c.lines), floats(c.gamma, c.channels)
    first = task * c.groups_per_task
    for group in range(first, min(c.lines // c.members, first + c.groups_per_task)):
        begin, end = group * c.members, (group + 1) * c.members
        count = c.size * c.members
        mean = 0.0
        for part in range(c.parts):
            elements = (part + 1) * c.size // c.parts - part * c.size // c.parts
            for line in range(begin, end):
                mean += np.float64(means[part * c.lines + line]) * elements
        mean /= count
        square = 0.0
        for part in range(c.parts):
            elements = (part + 1) * c.size // c.parts - part * c.size // c.parts
            for line in range(begin, end):
                distance = means[part * c.lines + line] - mean
                square += sums[part * c.lines + line] + distance * distance * elements
        factor = np.float32(_factor(square / count if c.is_mean != 0 else square, c.mode, c.eps))
        for line in range(begin, end):
            out_means[line] = mean
            out[line] = factor * gamma[line % c.channels] if c.gamma != 0 else factor


@inlined
def _factor(square: Any, mode: int, eps: Any) -> Any:
    """What normalizes numbers with a mean square, or a sum of squares."""
    if mode == INSIDE:
        return 1 / np.sqrt(square + eps)
    if mode == OUTSIDE:
        return 1 / (np.sqrt(square) + eps)
    if mode == LEAST:
        return 1 / np.sqrt(max(square, eps))
    return 1.0
