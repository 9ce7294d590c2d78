"""Attention over keys and values in a cache that grows from run to run.

Where such arrays are, and how long, is known only when a run begins. Kernels find it in a row of `LATE` numbers: the
address, four sizes, and four strides in bytes, which are 0 for axes of size 1.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from irrun_kernels.attention import Attention, attend
from irrun_kernels.functions import assign
from irrun_kernels.native import floats, inlined, kernel, longs, record
from irrun_kernels.stacks import Matrices, matrix_of

LATE: Final = 9


class Append(NamedTuple):
    """Arguments of `append`: an array with four axes, whose last one has no gaps, and the row of a late array.

    ``axis`` is one of the first three.
    """

    x: Matrices
    array: int
    axis: int
    size_0: int
    size_1: int
    size_2: int
    size_3: int


@kernel(Append)
def append(arguments: Any, task: int, workspace: int) -> None:
    """Write x to the end of an array."""
    c = record(arguments)
    late = longs(c.array, LATE)
    size = c.size_0 if c.axis == 0 else c.size_1 if c.axis == 1 else c.size_2
    begin = late[0] + (late[1 + c.axis] - size) * late[5 + c.axis]
    for i in range(c.size_0):
        for j in range(c.size_1):
            for k in range(c.size_2):
                source = floats(matrix_of(c.x, i, j) + k * c.x.row, c.size_3)
                assign(floats(begin + i * late[5] + j * late[6] + k * late[7], c.size_3), source)


class CachedAttention(NamedTuple):
    """Arguments of `cached_attention`: those of `attention`, and rows of late arrays, 0 for others."""

    plain: Attention
    key: int
    value: int
    mask: int


@kernel(CachedAttention)
def cached_attention(arguments: Any, task: int, workspace: int) -> None:
    """Attention over late arrays. All tasks write the same numbers into the arguments."""
    c = record(arguments)
    if c.key != 0:
        c.plain.keys = longs(c.key, LATE)[3]
        _find(c.plain.key, c.key)
    if c.value != 0:
        _find(c.plain.value, c.value)
    if c.mask != 0:
        _find(c.plain.mask, c.mask)
    attend(c.plain, task, workspace)


@inlined
def _find(x: Any, row: int) -> None:
    late = longs(row, LATE)
    x.start, x.stack, x.matrix, x.row, x.element = late[0], late[5], late[6], late[7], late[8]
