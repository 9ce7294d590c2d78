"""Kernels that slide windows over images whose channels are neighbours in memory, channel by channel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun.kernels.compiled.functions import unary
from irrun.kernels.compiled.native import floats, inlined, kernel, longs, record
from irrun.kernels.compiled.reduction import add_rows, multiply_rows, raise_rows


class Windows(NamedTuple):
    """Arguments of `max_pool`, `average_pool` and `depthwise`. Strides are in bytes; 0 stands for no array.

    ``x`` is [images, height, width, channels], ``out`` and ``summand`` [images, rows, columns, channels], ``weights``
    [taps + 1, channels], of which the last are the bias; ``zeros`` and ``ones`` are rows. A task has so many rows of
    the result.
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
    zeros: int = 0
    ones: int = 0
    summand: int = 0
    summand_image: int = 0
    summand_row: int = 0
    summand_pixel: int = 0
    function: int = -1
    alpha: float = 0
    beta: float = 0
    least: int = 0


@inlined
def _find_taps(c: Any, image: int, y: int, x: int, outside: int, addresses: Any) -> int:
    """Write the addresses of what the taps of a window meet, or ``outside`` unless that is 0. Returns how many."""
    count = 0
    for ky in range(c.kernel_height):
        down = y * c.stride_height + ky * c.dilation_height - c.begin_height
        for kx in range(c.kernel_width):
            across = x * c.stride_width + kx * c.dilation_width - c.begin_width
            if 0 <= down < c.height and 0 <= across < c.width:
                addresses[count] = c.x + image * c.x_image + down * c.x_row + across * c.x_pixel
                count += 1
            elif outside != 0:
                addresses[count] = outside
                count += 1
    return count


@kernel(Windows)
def max_pool(arguments: Any, task: int, workspace: int) -> None:
    """The largest element of each window; NaN counts as -inf."""
    c = record(arguments)
    addresses = longs(workspace, c.kernel_height * c.kernel_width)
    for index in range(task * c.rows_per_task, min(c.images * c.rows, (task + 1) * c.rows_per_task)):
        image, y = index // c.rows, index % c.rows
        for x in range(c.columns):
            out = c.out + image * c.out_image + y * c.out_row + x * c.out_pixel
            raise_rows(_find_taps(c, image, y, x, 0, addresses), workspace, 0, out, c.channels)


@kernel(Windows)
def average_pool(arguments: Any, task: int, workspace: int) -> None:
    """The mean of each window: its sum divided by the number of elements inside, but by ``least`` at least."""
    c = record(arguments)
    addresses = longs(workspace, c.kernel_height * c.kernel_width)
    for index in range(task * c.rows_per_task, min(c.images * c.rows, (task + 1) * c.rows_per_task)):
        image, y = index // c.rows, index % c.rows
        for x in range(c.columns):
            out = c.out + image * c.out_image + y * c.out_row + x * c.out_pixel
            count = _find_taps(c, image, y, x, 0, addresses)
            add_rows(count, workspace, 0, out, c.channels)
            _divide(floats(out, c.channels), np.float32(max(count, c.least)))


@kernel(Windows)
def depthwise(arguments: Any, task: int, workspace: int) -> None:
    """Each channel with its own filter, with bias, summand and activation."""
    c = record(arguments)
    taps = c.kernel_height * c.kernel_width
    addresses = longs(workspace, taps + 1)
    for index in range(task * c.rows_per_task, min(c.images * c.rows, (task + 1) * c.rows_per_task)):
        image, y = index // c.rows, index % c.rows
        for x in range(c.columns):
            place = c.out + image * c.out_image + y * c.out_row + x * c.out_pixel
            _find_taps(c, image, y, x, c.zeros, addresses)
            addresses[taps] = c.ones
            multiply_rows(taps + 1, workspace, c.weights, place, c.channels)
            out = floats(place, c.channels)
            if c.summand != 0:
                added = c.summand + image * c.summand_image + y * c.summand_row + x * c.summand_pixel
                _add(out, floats(added, c.channels))
            if c.function >= 0:
                unary(c.function, out, np.float32(c.alpha), np.float32(c.beta))


class Response(NamedTuple):
    """Arguments of `local_response`. ``x`` and ``out`` are contiguous [pixels, channels]; a task has so many pixels."""

    x: int
    out: int
    pixels: int
    channels: int
    reach: int
    pixels_per_task: int
    factor: float
    bias: float


@kernel(Response)
def local_response(arguments: Any, task: int, workspace: int) -> None:
    """x / (bias + factor * sum of the squares of neighbours) ** 0.75; workspace has room for so many more channels."""
    c = record(arguments)
    squares = floats(workspace, c.channels + 2 * c.reach)
    fill(squares, np.float32(0))
    for pixel in range(task * c.pixels_per_task, min(c.pixels, (task + 1) * c.pixels_per_task)):
        x = floats(c.x + 4 * pixel * c.channels, c.channels)
        out = floats(c.out + 4 * pixel * c.channels, c.channels)
        _square(x, squares[c.reach : c.reach + c.channels])
        fill(out, np.float32(0))
        for shift in range(2 * c.reach + 1):
            _add(out, squares[shift : shift + c.channels])
        _respond(x, out, np.float32(c.factor), np.float32(c.bias))


@inlined
def _square(x: Any, out: Any) -> None:
    for i in range(len(out)):
        out[i] = x[i] * x[i]


@inlined
def _respond(x: Any, out: Any, factor: Any, bias: Any) -> None:
    for i in range(len(out)):
        root = np.sqrt(bias + factor * out[i])
        out[i] = x[i] / (root * np.sqrt(root))


@inlined
def fill(out: Any, value: Any) -> None:
    """Write one value everywhere."""
    for i in range(len(out)):
        out[i] = value


@inlined
def _add(out: Any, x: Any) -> None:
    for i in range(len(out)):
        out[i] += x[i]


@inlined
def _divide(out: Any, count: Any) -> None:
    for i in range(len(out)):
        out[i] /= count
