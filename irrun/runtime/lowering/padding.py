"""Images with more around them, as copies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irrun.runtime.lowering.builder import U8, Builder, share
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.lowering.geometry import images_of, over
from irrun.runtime.symbolic import Number, is_same, largest
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.padding import Surround, surround
from irrun_kernels.pixels import Geometry


def taps_as_channels(weights: Array, geometry: Geometry) -> tuple[Array, Geometry]:
    """Weights [1, O, I, *K], and windows over images with all around them that windows reach.

    The taps of a row are neighbours in memory: one tap of more channels.
    """
    rows = np.moveaxis(weights, -1, 2).reshape(1, weights.shape[1], -1, *weights.shape[3:-1], 1)
    return rows, geometry._replace(kernel_width=1, begin_depth=0, begin_height=0, begin_width=0)


def _reached(x: Operand, out: Operand, geometry: Geometry) -> list[int]:
    """The spatial sizes of images and what windows reach around them."""
    sizes = []
    for axis in range(2, x.ndim):
        taps, step, dilation, begin = geometry[axis + 3 - x.ndim : 12 : 3]
        reach = (out.shape[axis] - 1) * step + (taps - 1) * dilation + 1
        sizes.append(largest(reach, begin + x.shape[axis]))
    return sizes


def emit_padding(builder: Builder, x: Operand, out: Operand, geometry: Geometry) -> View:
    """The images with zeros around them, as far as the windows of a result reach."""
    sizes, reached = x.shape[2:], _reached(x, out, geometry)
    begins = geometry[12 - len(sizes) : 12]
    ends = [whole - begin - size for whole, begin, size in zip(reached, begins, sizes, strict=True)]
    if not any((*begins, *ends)) and (x.strides[1], x.strides[-1]) == (4, 4 * x.shape[1]):
        return builder.view(x)
    made = builder.images((*x.shape[:2], *reached))
    inside = tuple(slice(begin, begin + size) for begin, size in zip(begins, sizes, strict=True))
    emit_border(builder, made, (0, 0, *begins), (0, 0, *ends), np.zeros(1, np.float32))
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


def emit_surround(builder: Builder, x: Operand, out: Operand | None, geometry: Geometry, zero: int) -> View:
    """Bytes with neighbouring channels, and zeros around them as far as the windows of a result reach, if any."""
    batch, channels, high, wide = x.shape
    inner = Geometry()
    if out is not None:
        inner = Geometry(begin_height=geometry.begin_height, begin_width=geometry.begin_width)
        high, wide = _reached(x, out, geometry)
    made = builder.images((batch, channels, high, wide), U8)
    each, tasks = share(batch * high, 0.7 * made.size)
    arguments = Surround(
        x=images_of(builder, x),
        out=builder.address(made),
        geometry=over(inner, x, made),
        channels=channels,
        x_channel=x.strides[1],
        rows_per_task=each,
        filler=zero,
    )
    builder.call(surround, arguments, tasks)
    return made
