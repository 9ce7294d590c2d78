"""Samples images at the places of a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from irrun.kernels.interpolate import cubic_weights
from irrun.kernels.threads import Array

_FAR = 2**40


def grid_sample(data: Array, grid: Array, mode: str, padding: str, align_corners: bool) -> Array:
    """Sample data [N, C, H, W] at the places [N, OH, OW, (x, y)] of a grid over [-1, 1]: [N, C, OH, OW]."""
    batch, channels, height, width = data.shape
    x = _scaled(grid[..., 0], width, align_corners)
    y = _scaled(grid[..., 1], height, align_corners)
    flat = data.reshape(batch, channels, height * width)
    outside = _OUTSIDE[padding, align_corners] if padding == "reflection" else _OUTSIDE[padding, False]

    def pick(rows: Array, columns: Array) -> Array:
        row, column = outside(rows, height), outside(columns, width)
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
    if mode == "bilinear":
        row_weights, column_weights = _line(y - top), _line(x - left)
        first = 0
    else:
        row_weights, column_weights = cubic_weights(y - top, -0.75), cubic_weights(x - left, -0.75)
        first = -1
    rows, columns = _whole(top) + first, _whole(left) + first
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
    if dtype.kind == "f" or dtype.itemsize > 1:
        return values.astype(dtype, copy=False)
    bounds = np.iinfo(dtype)
    return np.clip(np.rint(values), bounds.min, bounds.max).astype(dtype)


def _scaled(place: Array, size: int, align_corners: bool) -> Array:
    """Map places on [-1, 1] to elements 0 .. size - 1."""
    if align_corners:
        return (place + 1) * (size - 1) / 2
    return ((place + 1) * size - 1) / 2


def _whole(places: Array) -> Array:
    """Convert to int64; NaN and places out of range become a place far outside the image."""
    whole: Array = np.clip(np.nan_to_num(places, nan=-_FAR), -_FAR, _FAR).astype(np.int64)
    return whole


def _line(fraction: Array) -> Array:
    return np.stack([1 - fraction, fraction], axis=-1)


def _clamp(places: Array, size: int) -> Array:
    return np.clip(places, 0, size - 1)


def _mirror_edges(places: Array, size: int) -> Array:
    """Reflect places at the outer edges of the border elements, which are repeated."""
    turn = places % (2 * size)
    return np.where(turn >= size, 2 * size - 1 - turn, turn)


def _mirror_centers(places: Array, size: int) -> Array:
    """Reflect places at the centers of the border elements."""
    period = max(2 * (size - 1), 1)
    turn = np.abs(places) % period
    return np.where(turn >= size, period - turn, turn)


_OUTSIDE: dict[tuple[str, bool], Callable[[Array, int], Array]] = {
    ("zeros", False): _clamp,
    ("border", False): _clamp,
    ("reflection", False): _mirror_edges,
    ("reflection", True): _mirror_centers,
}
