"""Images of bytes in larger ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irrun_kernels.copies import copy_line
from irrun_kernels.functions import assign, fill
from irrun_kernels.native import Address, Read, Write, kernel, octets, record
from irrun_kernels.pixels import Geometry, Images


class Surround(NamedTuple):
    """Arguments of `surround`: images of bytes, which begin some rows and columns inside of larger ones without gaps.

    Channels of ``x`` are ``x_channel`` bytes apart. A task has some rows of the result.
    """

    x: Read[Images]
    out: Write[Address]
    geometry: Geometry
    channels: int
    x_channel: int
    rows_per_task: int
    filler: int


@kernel(Surround)
def surround(arguments: Any, task: int, workspace: int) -> None:
    """Copy images into larger ones, whose rest is filled."""
    c = record(arguments)
    g = c.geometry
    size = g.columns * c.channels
    for index in range(task * c.rows_per_task, min(g.images * g.rows, (task + 1) * c.rows_per_task)):
        image, row = index // g.rows, index % g.rows - g.begin_height
        out = octets(c.out + index * size, size)
        fill(out, np.uint8(c.filler))
        if 0 <= row < g.height:
            x = c.x.start + image * c.x.image + row * c.x.row
            start = c.out + index * size + g.begin_width * c.channels
            if c.x_channel == 1 and c.x.pixel == c.channels:
                assign(octets(start, g.width * c.channels), octets(x, g.width * c.channels))
            else:
                for channel in range(c.channels):
                    copy_line(1, x + channel * c.x_channel, c.x.pixel, start + channel, c.channels, g.width)
