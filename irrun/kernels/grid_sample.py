"""Samples images at the places of a grid."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from irrun.kernels.interpolate import cubic_weights, in_type
from irrun.kernels.threads import Array
from irrun.kernels.windows import bounded

_FAR = 2**40


def grid_sample(data: Array, grid: Array, mode: str, padding: str, align_corners: bool) -> Array:
    """Sample data [N, C, H, W] at the places [N, OH, OW, (x, y)] of a grid over [-1, 1]: [N, C, OH, OW]."""
    batch, channels, height, width = data.shape
    x = _scaled(grid[..., 0], width, align_corners)
    y = _scaled(grid[..., 1], height, align_corners)
    flat = data.reshape(batch, channels, height * width)
    mirror = "reflect" if align_corners else "symmetric"
    border = mirror if padding == "reflection" else "edge"

    def pick(rows: Array, columns: Array) -> Array:
        row, column = bounded(rows, height, border), bounded(columns, width, border)
        places = (row * width + column).reshape(batch, 1, -1)
        values: Array = np.take_along_axis(flat, places, axis=2).reshape(batch, channels, *rows.shape[1:])
        if padding == "zeros":
            inside = (rows == row) & (columns == column)
            values = np.where(inside[:, None], values, data.dtype.type(0))
        return values

    if not flat.size:
        return np.zeros((batch, channels, *x.shape[1:]), data.dtype)
    if mode == "nearest":
        return pick(_whole(np.rint(y)), _whole(np.rint(x)))
    top, left = np.floor(y), np.floor(x)
    first, weigh = (0, _linear_weights) if mode == "bilinear" else (-1, partial(cubic_weights, a=-0.75))
    rows, columns = _whole(top) + first, _whole(left) + first
    row_weights, column_weights = weigh(y - top), weigh(x - left)
    taps = row_weights.shape[-1]
    total: Array = np.zeros((batch, channels, *x.shape[1:]), np.result_type(data.dtype, x.dtype))
    for i in range(taps):
        line = sum(pick(rows + i, columns + j) * column_weights[:, None, ..., j] for j in range(taps))
        total += line * row_weights[:, None, ..., i]
    return _like(total, data.dtype)


def _like(values: Array, dtype: np.dtype[Any]) -> Array:
    """Convert to the dtype of the image: 8 bits rounded to nearest and clipped, wider integers truncated."""
    if dtype.kind == "b":
        return np.asarray(values > 0.5)
    return values.astype(dtype, copy=False) if dtype.itemsize > 1 else in_type(values, dtype)


def _scaled(place: Array, size: int, align_corners: bool) -> Array:
    """Map places on [-1, 1] to elements 0 .. size - 1."""
    if align_corners:
        return (place + 1) * (size - 1) / 2
    return ((place + 1) * size - 1) / 2


def _whole(places: Array) -> Array:
    """Convert to int64; NaN and places out of range become a place far outside the image."""
    whole: Array = np.clip(np.nan_to_num(places, nan=-_FAR), -_FAR, _FAR).astype(np.int64)
    return whole


def _linear_weights(fraction: Array) -> Array:
    return np.stack([1 - fraction, fraction], axis=-1)
