"""What is done to the lines of a tensor along one axis, several at a time while they are in the cache."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from irrun.kernels.layout import axes_in_memory
from irrun.kernels.threads import Array, split

_BLOCK: Final = 1 << 15
"""Elements that are worked on at a time."""


def by_lines(
    function: Callable[[Array, Array], object],
    x: Array,
    out: Array,
    axis: int,
    nanoseconds: float,
    repeatable: bool = False,
) -> None:
    """``function(part, target)`` for parts [..., line, inner] of x and out, which hold whole lines along ``axis``.

    ``nanoseconds`` is for one element, ``repeatable`` for `split`. Of arrays with gaps, or that lie in memory
    differently, there is one part.
    """
    order = axes_in_memory(x)
    source, target = x.transpose(order), out.transpose(order)
    if not (source.flags.c_contiguous and target.flags.c_contiguous):
        lines, result = (np.moveaxis(part, axis, -1)[..., np.newaxis] for part in (x, out))

        def once(first: int, last: int) -> None:
            if first < last:
                function(lines, result)

        split(once, 1, x.size * nanoseconds, repeatable=repeatable)
        return
    place = order.index(axis)
    outer, length, inner = math.prod(source.shape[:place]), x.shape[axis], math.prod(source.shape[place + 1 :])
    source, target = source.reshape(outer, length, inner), target.reshape(outer, length, inner)
    width = min(inner, max(_BLOCK // max(length, 1), 64))
    height = max(_BLOCK // max(length * width, 1), 1)
    columns = -(-inner // max(width, 1))

    def work(first: int, last: int) -> None:
        for number in range(first, last):
            row, column = divmod(number, columns)
            block = slice(row * height, (row + 1) * height), slice(None), slice(column * width, (column + 1) * width)
            function(source[block], target[block])

    split(work, -(-outer // height) * columns, x.size * nanoseconds, repeatable=repeatable)
