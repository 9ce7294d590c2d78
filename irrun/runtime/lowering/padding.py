"""Images with more around them, as copies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.runtime.lowering.builder import Builder
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.symbolic import Number, is_same, largest
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.pixels import Geometry


def taps_as_channels(weights: Array, geometry: Geometry) -> tuple[Array, Geometry]:
    """Weights [1, O, I, *K], and windows over images with all around them that windows reach.

    The taps of a row are neighbours in memory: one tap of more channels.
    """
    rows = np.moveaxis(weights, -1, 2).reshape(1, weights.shape[1], -1, *weights.shape[3:-1], 1)
    return rows, geometry._replace(kernel_width=1, begin_depth=0, begin_height=0, begin_width=0)


def emit_padding(builder: Builder, x: Operand, out: Operand, geometry: Geometry, outside: int = 0) -> View:
    """The images with a number around them, as far as the windows of a result reach."""
    sizes, begins, reached = x.shape[2:], geometry[14 - x.ndim : 12], []
    for axis in range(2, x.ndim):
        taps, step, dilation, begin = geometry[axis + 3 - x.ndim : 12 : 3]
        reach = (out.shape[axis] - 1) * step + (taps - 1) * dilation + 1
        reached.append(largest(reach, begin + x.shape[axis]))
    ends = [whole - begin - size for whole, begin, size in zip(reached, begins, sizes, strict=True)]
    if not any((*begins, *ends)) and (x.strides[1], x.strides[-1]) == (x.itemsize, x.itemsize * x.shape[1]):
        return builder.view(x)
    made = builder.images((*x.shape[:2], *reached), x.dtype)
    inside = tuple(slice(begin, begin + size) for begin, size in zip(begins, sizes, strict=True))
    emit_border(builder, made, (0, 0, *begins), (0, 0, *ends), np.full(1, outside, x.dtype))
    emit_copy(builder, x, made[(slice(None), slice(None), *inside)])
    return made


def emit_border(builder: Builder, out: View, before: Sequence[Number], after: Sequence[Number], value: Operand) -> View:
    """Copy a number to all elements beside the middle of an array, which is returned."""
    keys: list[slice] = []
    for begin, end, size in zip(before, after, out.shape, strict=True):
        for there, key in ((begin, slice(0, begin)), (end, slice(size - end, size))):
            if not is_same(there, 0):
                emit_copy(builder, value, out[(*keys, key)])
        keys.append(slice(begin, size - end))
    return out
