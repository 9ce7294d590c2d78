"""Images with more around them, as copies."""

from __future__ import annotations

import numpy as np

from irrun.runtime.lowering.builder import U8, Builder, broadcast, share
from irrun.runtime.lowering.copies import copied
from irrun.runtime.lowering.geometry import images_of, over
from irrun.runtime.symbolic import largest
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.padding import Surround, surround
from irrun_kernels.pixels import Geometry


def taps_as_channels(weights: Array, geometry: Geometry) -> tuple[Array, Geometry]:
    """Weights [1, O, I, KH, KW], and windows over images with all around them that windows reach.

    The taps of a row are neighbours in memory: one tap of more channels.
    """
    rows = weights.transpose(0, 1, 4, 2, 3).reshape(1, weights.shape[1], -1, geometry.kernel_height, 1)
    return rows, geometry._replace(kernel_width=1, begin_height=0, begin_width=0)


def _reached(x: Operand, out: Operand, geometry: Geometry) -> list[int]:
    """The height and width of images and what windows reach around them."""
    sizes = []
    for axis in range(2):
        taps, step, dilation, begin = geometry[axis], geometry[2 + axis], geometry[4 + axis], geometry[6 + axis]
        reach = (out.shape[2 + axis] - 1) * step + (taps - 1) * dilation + 1
        sizes.append(largest(reach, begin + x.shape[2 + axis]))
    return sizes


def padded(builder: Builder, x: Operand, out: Operand, geometry: Geometry) -> View | None:
    """The images with zeros around them, as far as the windows of a result reach."""
    batch, channels, height, width = x.shape
    top, left = geometry.begin_height, geometry.begin_width
    high, wide = _reached(x, out, geometry)
    if not (top or left or high > height or wide > width) and (x.strides[1], x.strides[3]) == (4, 4 * channels):
        return builder.view(x)
    made = builder.images((batch, channels, high, wide))
    zero = np.zeros(1, np.float32)
    rows = slice(top, top + height)
    edges = (
        made[:, :, :top],
        made[:, :, top + height :],
        made[:, :, rows, :left],
        made[:, :, rows, left + width :],
    )
    for edge in edges:
        if edge.size and not copied(builder, broadcast(builder, zero, edge.shape), edge):
            return None
    return made if copied(builder, x, made[:, :, rows, left : left + width]) else None


def surrounded(builder: Builder, x: Operand, out: Operand | None, geometry: Geometry, zero: int) -> View:
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
