"""Kernels that slide windows over images whose channels are neighbours in memory, channel by channel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.compiled.functions import assign, unary
from irrun.kernels.compiled.native import floats, inlined, kernel, record


class Windows(NamedTuple):
    """Arguments of `max_pool`, `average_pool` and `depthwise`. Strides are in bytes; 0 stands for no array.

    ``x`` is [images, height, width, channels], ``out`` and ``summand`` [images, rows, columns, channels], ``weights``
    [taps, channels]. A task has so many rows of the result.
    """

    x: int
    out: int
    images: int
    rows: int
    columns: int
    height: int
    width: int
    channels: int
    x_image: int
    x_row: int
    x_pixel: int
    out_image: int
    out_row: int
    out_pixel: int
    kernel_height: int
    kernel_width: int
    stride_height: int
    stride_width: int
    dilation_height: int
    dilation_width: int
    begin_height: int
    begin_width: int
    rows_per_task: int
    weights: int = 0
    bias: int = 0
    summand: int = 0
    summand_image: int = 0
    summand_row: int = 0
    summand_pixel: int = 0
    function: int = -1
    alpha: float = 0
    beta: float = 0
    least: int = 0


@inlined
def _reach(place: int, stride: int, dilation: int, begin: int, taps: int, size: int) -> tuple[int, int, int]:
    """The position of the first tap, and the taps that meet the image: from one to another."""
    origin = place * stride - begin
    first = max(0, -(origin // dilation))
    last = min(taps, (size - 1 - origin) // dilation + 1)
    return origin, first, max(first, last)


@kernel(Windows)
def max_pool(arguments: Any, task: int, workspace: int) -> None:
    """The largest element of each window; NaN counts as -inf."""
    c = record(arguments)
    for index in range(task * c.rows_per_task, min(c.images * c.rows, (task + 1) * c.rows_per_task)):
        image, y = index // c.rows, index % c.rows
        down, top, bottom = _reach(y, c.stride_height, c.dilation_height, c.begin_height, c.kernel_height, c.height)
        for x in range(c.columns):
            across, left, right = _reach(x, c.stride_width, c.dilation_width, c.begin_width, c.kernel_width, c.width)
            out = floats(c.out + image * c.out_image + y * c.out_row + x * c.out_pixel, c.channels)
            fill(out, np.float32(-np.inf))
            for ky in range(top, bottom):
                row = c.x + image * c.x_image + (down + ky * c.dilation_height) * c.x_row
                for kx in range(left, right):
                    _raise(out, floats(row + (across + kx * c.dilation_width) * c.x_pixel, c.channels))


@kernel(Windows)
def average_pool(arguments: Any, task: int, workspace: int) -> None:
    """The mean of each window: its sum divided by the number of elements inside, but by ``least`` at least."""
    c = record(arguments)
    for index in range(task * c.rows_per_task, min(c.images * c.rows, (task + 1) * c.rows_per_task)):
        image, y = index // c.rows, index % c.rows
        down, top, bottom = _reach(y, c.stride_height, c.dilation_height, c.begin_height, c.kernel_height, c.height)
        for x in range(c.columns):
            across, left, right = _reach(x, c.stride_width, c.dilation_width, c.begin_width, c.kernel_width, c.width)
            out = floats(c.out + image * c.out_image + y * c.out_row + x * c.out_pixel, c.channels)
            fill(out, np.float32(0))
            for ky in range(top, bottom):
                row = c.x + image * c.x_image + (down + ky * c.dilation_height) * c.x_row
                for kx in range(left, right):
                    _add(out, floats(row + (across + kx * c.dilation_width) * c.x_pixel, c.channels))
            _divide(out, np.float32(max((bottom - top) * (right - left), c.least)))


@kernel(Windows)
def depthwise(arguments: Any, task: int, workspace: int) -> None:
    """Each channel with its own filter, with bias, summand and activation."""
    c = record(arguments)
    for index in range(task * c.rows_per_task, min(c.images * c.rows, (task + 1) * c.rows_per_task)):
        image, y = index // c.rows, index % c.rows
        down, top, bottom = _reach(y, c.stride_height, c.dilation_height, c.begin_height, c.kernel_height, c.height)
        for x in range(c.columns):
            across, left, right = _reach(x, c.stride_width, c.dilation_width, c.begin_width, c.kernel_width, c.width)
            out = floats(c.out + image * c.out_image + y * c.out_row + x * c.out_pixel, c.channels)
            if c.bias != 0:
                assign(out, floats(c.bias, c.channels))
            else:
                fill(out, np.float32(0))
            for ky in range(top, bottom):
                row = c.x + image * c.x_image + (down + ky * c.dilation_height) * c.x_row
                for kx in range(left, right):
                    data = floats(row + (across + kx * c.dilation_width) * c.x_pixel, c.channels)
                    tap = c.weights + 4 * (ky * c.kernel_width + kx) * c.channels
                    _multiply_add(out, data, floats(tap, c.channels))
            if c.summand != 0:
                place = c.summand + image * c.summand_image + y * c.summand_row + x * c.summand_pixel
                _add(out, floats(place, c.channels))
            if c.function >= 0:
                unary(c.function, out, np.float32(c.alpha), np.float32(c.beta))


@inlined
def fill(out: Any, value: Any) -> None:
    """Write one value everywhere."""
    for i in range(len(out)):
        out[i] = value


@inlined
def _raise(out: Any, x: Any) -> None:
    for i in range(len(out)):
        out[i] = x[i] if x[i] > out[i] else out[i]


@inlined
def _add(out: Any, x: Any) -> None:
    for i in range(len(out)):
        out[i] += x[i]


@inlined
def _divide(out: Any, count: Any) -> None:
    for i in range(len(out)):
        out[i] /= count


@inlined
def _multiply_add(out: Any, x: Any, weights: Any) -> None:
    for i in range(len(out)):
        out[i] += x[i] * weights[i]
