"""Windows over channels-last images, as arguments of kernels, and images with more around them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from irrun.ops._declared.convolution.spatial import Windows as Spatial
from irrun.runtime.lowering.builder import Builder, Unsupported, is_symbolic
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.symbolic import Number, is_same, largest
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.pixels import Images, ImageWindows


def emit_channels_last(builder: Builder, x: Operand) -> View:
    """[N, C, *S] whose channels are neighbours: itself or a copy."""
    return builder.view(x) if has_channels_last(x) else emit_copy(builder, x, builder.images(x.shape, x.dtype))


def has_channels_last(x: Operand) -> bool:
    """Return whether the channels of images are neighbours."""
    return x.strides[1] == x.itemsize or x.shape[1] == 1


def as_images(x: Any) -> Any:
    """[N, C, W] as [N, C, 1, W]."""
    return x[:, :, None] if x.ndim == 3 else x


def as_volumes(x: Any) -> Any:
    """[N, C, *S] with three spatial axes."""
    return x[(slice(None), slice(None), *(None,) * (5 - x.ndim))]


def as_pixels(rows: Any) -> Any:
    """Rows [M, C] as an image of one row."""
    return rows.T[None, :, None]


def window_geometry(windows: Spatial, kernel: Sequence[int], x: Operand) -> tuple[ImageWindows, list[int]]:
    """The geometry of windows over up to three axes, and their numbers along each of at least two.

    Unsupported where images are cropped, or have no windows.
    """
    begins, ends, counts = windows.place(x.shape[2:], kernel)
    if any(pad < 0 for pad in (*begins, *ends)) or 0 in counts:
        raise Unsupported("negative pads, or images without windows")
    steps = [_three(1, along) for along in (kernel, windows.strides, windows.dilations)]
    return ImageWindows(steps[0], steps[1], steps[2], _three(0, begins)), [*(1,) * (2 - len(counts)), *counts]


def _three(front: int, along: Sequence[Any]) -> tuple[Any, ...]:
    """Numbers for all three axes, of which the last ones are given."""
    return (*(front,) * (3 - len(along)), *along)


class Part(NamedTuple):
    """The ``results`` of a convolution along its spatial axes, and the ``taps`` that meet pixels for any of them."""

    results: tuple[slice, ...]
    taps: tuple[slice, ...]

    def of(self, geometry: ImageWindows, x: Operand) -> tuple[ImageWindows, Operand]:
        """The windows with these taps, and the images from the first pixel that they meet."""
        taps, begins, pixels = list(geometry.taps), list(geometry.begins), []
        for axis, (results, own) in enumerate(zip(self.results, self.taps, strict=True), start=3 - len(self.taps)):
            begin = begins[axis] - own.start * geometry.dilations[axis] - results.start * geometry.strides[axis]
            taps[axis], begins[axis] = own.stop - own.start, max(begin, 0)
            pixels.append(slice(max(-begin, 0), None))
        here: Any = (..., *pixels)
        return geometry._replace(taps=tuple(taps), begins=tuple(begins)), x[here]


def parts_of(geometry: ImageWindows, x: Operand, counts: Sequence[int], *, is_cut: bool) -> list[Part]:
    """The parts of a convolution with ``counts`` results along its spatial axes, without taps that meet only padding.

    Where taps are so far apart that many of them meet padding, the results are cut into parts that have few; others,
    and all if not ``is_cut``, are one part.
    """
    found: list[list[tuple[slice, slice]]] = []
    for axis, (size, count) in enumerate(zip(x.shape[2:], counts, strict=True), start=3 - len(counts)):
        if is_symbolic(size, count):
            bands = [(slice(0, count), slice(0, geometry.taps[axis]))]
        else:
            bands = _bands(geometry, axis, size, count)
        is_dilated = geometry.dilations[axis] > 1
        found.append(bands if is_dilated else [(slice(0, count), hull([taps for _, taps in bands]))])
    one = Part(tuple(slice(0, count) for count in counts), tuple(hull([taps for _, taps in each]) for each in found))
    if is_symbolic(*x.shape[2:], *counts) or not is_cut:
        return [one]
    cut = [Part(*zip(*each, strict=True)) for each in itertools.product(*found)]
    return cut if sum(map(_products, cut)) < _WORTH_CUTTING * _products(one) else [one]


_WORTH_CUTTING: Final = 0.85
"""The share of products that the parts of a convolution may have at most: each part is a call."""


def _bands(geometry: ImageWindows, axis: int, size: int, count: int) -> list[tuple[slice, slice]]:
    """Consecutive results along an axis that have the same taps, and these: one at least."""
    taps, stride, dilation, begin = (
        each[axis] for each in (geometry.taps, geometry.strides, geometry.dilations, geometry.begins)
    )
    found: list[tuple[slice, slice]] = []
    for result in range(count):
        place = begin - result * stride
        first = min(max(-(-place // dilation), 0), taps - 1)
        last = max(min((size - 1 + place) // dilation + 1, taps), first + 1)
        if found and found[-1][1] == slice(first, last):
            found[-1] = (slice(found[-1][0].start, result + 1), found[-1][1])
        else:
            found.append((slice(result, result + 1), slice(first, last)))
    return found


def hull(intervals: Sequence[slice]) -> slice:
    """The smallest interval that has all of these."""
    return slice(min(each.start for each in intervals), max(each.stop for each in intervals))


def _products(part: Part) -> int:
    """The products of each channel and filter."""
    return math.prod(each.stop - each.start for each in (*part.results, *part.taps))


def over(geometry: ImageWindows, x: Operand, out: Operand) -> ImageWindows:
    """The geometry of windows over images ``x``, with results ``out``."""
    counts, sizes = ((1, *each.shape[2:])[-3:] for each in (out, x))
    return geometry._replace(images=out.shape[0], counts=counts, sizes=sizes)


def images_of(builder: Builder, x: Operand | None) -> Images:
    """The address of images, and the strides of images, planes, rows and pixels."""
    return Images() if x is None else Images(builder.address(x), x.strides[0], *(0, *x.strides[2:])[-3:])


def taps_as_channels(weights: Array, geometry: ImageWindows) -> tuple[Array, ImageWindows]:
    """Weights [1, O, I, *K], and windows over images with all around them that windows reach.

    The taps of a row are neighbours in memory: one tap of more channels.
    """
    rows = np.moveaxis(weights, -1, 2).reshape(1, weights.shape[1], -1, *weights.shape[3:-1], 1)
    return rows, geometry._replace(taps=(*geometry.taps[:2], 1), begins=(0, 0, 0))


def emit_padding(builder: Builder, x: Operand, out: Operand, geometry: ImageWindows, outside: int = 0) -> View:
    """The images with a number around them, as far as the windows of a result reach."""
    sizes, begins, reached = x.shape[2:], geometry.begins[5 - x.ndim :], []
    for axis in range(2, x.ndim):
        taps, step, dilation, begin = (each[axis + 3 - x.ndim] for each in geometry[:4])
        reach = (out.shape[axis] - 1) * step + (taps - 1) * dilation + 1
        reached.append(largest(reach, begin + x.shape[axis]))
    ends = [whole - begin - size for whole, begin, size in zip(reached, begins, sizes, strict=True)]
    if not any((*begins, *ends)) and (x.strides[1], x.strides[-1]) == (x.itemsize, x.itemsize * x.shape[1]):
        return builder.view(x)
    made = builder.images((*x.shape[:2], *reached), x.dtype)
    return emit_padded(builder, x, made, (0, 0, *begins), np.full(1, outside, x.dtype))


def emit_padded(builder: Builder, x: Operand, out: View, before: Sequence[Number], value: Operand) -> View:
    """Copy an array into another one, from a place on, and a number to all elements beside it; return the latter."""
    keys: list[slice] = []
    for begin, size, whole in zip(before, x.shape, out.shape, strict=True):
        end = begin + size
        for width, key in ((begin, slice(0, begin)), (whole - end, slice(end, whole))):
            if not is_same(width, 0):
                emit_copy(builder, value, out[(*keys, key)])
        keys.append(slice(begin, end))
    emit_copy(builder, x, out[tuple(keys)])
    return out
