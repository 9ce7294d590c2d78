"""Deformable convolution: windows sampled at individual places, then multiplied by a matrix."""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.roi import bilinear
from irrun.kernels.threads import Array
from irrun.kernels.windows import Geometry, pad


def deformable_convolve(
    data: Array,
    offsets: Array,
    weights: Array,
    mask: Array | None,
    geometry: Geometry,
    groups: int,
    deformable_groups: int,
    zero_border: bool,
) -> Array:
    """Convolve data [N, C, H, W] with weights [O, C / groups, KH, KW], sampling bilinearly.

    ``offsets`` [N, deformable_groups * KH * KW * 2, OH, OW] hold (y, x) for each element of the kernel, ``mask`` [N,
    deformable_groups * KH * KW, OH, OW] its factor. With ``zero_border``, places up to one element outside the data are
    interpolated with zeros; otherwise all places outside are zero.
    """
    batch, channels, height, width = data.shape
    filters, depth, *kernel = weights.shape
    counts = offsets.shape[2:]
    points, taps = math.prod(counts), math.prod(kernel)
    shift = offsets.reshape(batch, deformable_groups, *kernel, 2, *counts)
    down, across = (geometry.places(axis).T.astype(data.dtype) for axis in range(2))
    y = down[:, None, :, None] + shift[..., 0, :, :]
    x = across[:, None, :] + shift[..., 1, :, :]
    sampled = np.empty((batch, deformable_groups, channels // deformable_groups, taps, points), data.dtype)
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    if zero_border:
        inside = (y > -1) & (y < height) & (x > -1) & (x < width)
        data, y, x = pad(data, (1, 1), (1, 1)), y + 1, x + 1
    images = data.reshape(batch, deformable_groups, channels // deformable_groups, *data.shape[2:])
    for index in np.ndindex(batch, deformable_groups):
        values = bilinear(images[index], y[index].reshape(-1), x[index].reshape(-1))
        sampled[index] = np.where(inside[index].reshape(-1), values, 0).reshape(sampled[index].shape)
    if mask is not None:
        sampled *= mask.reshape(batch, deformable_groups, 1, taps, points)
    columns = sampled.reshape(batch, groups, depth * taps, points)
    matrix = weights.reshape(groups, filters // groups, depth * taps)
    result: Array = np.matmul(matrix, columns)
    return result.reshape(batch, filters, *counts)
