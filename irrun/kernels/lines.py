"""Processes the lines of a tensor along one axis, several at a time while they are in the cache."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from irrun.kernels.layout import axes_in_memory
from irrun.kernels.threads import Array

_BLOCK: Final = 1 << 15
"""The number of elements processed at a time."""


def by_lines(function: Callable[[Array, Array], object], x: Array, out: Array, axis: int) -> None:
    """Call ``function(part, target)`` for parts [..., line, inner] of x and out that hold whole lines along ``axis``.

    Arrays with gaps, or with different memory layouts, are processed as one part.
    """
    order = axes_in_memory(x)
    source, target = x.transpose(order), out.transpose(order)
    if not (source.flags.c_contiguous and target.flags.c_contiguous):
        function(*(np.moveaxis(part, axis, -1)[..., np.newaxis] for part in (x, out)))
        return
    place = order.index(axis)
    outer, length, inner = math.prod(source.shape[:place]), x.shape[axis], math.prod(source.shape[place + 1 :])
    source, target = source.reshape(outer, length, inner), target.reshape(outer, length, inner)
    width = min(inner, max(_BLOCK // max(length, 1), 64))
    height = max(_BLOCK // max(length * width, 1), 1)
    for row in range(0, outer, height):
        for column in range(0, inner, max(width, 1)):
            block = slice(row, row + height), slice(None), slice(column, column + width)
            function(source[block], target[block])
