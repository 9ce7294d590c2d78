"""Prior boxes: the boxes of SSD around each cell of a grid, in coordinates from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irrun.kernels.threads import Array


class Prior(NamedTuple):
    """A box around each cell, in pixels: half its size, and the offset of its center."""

    half_width: float
    half_height: float
    shift_x: float = 0.0
    shift_y: float = 0.0
    is_fixed: bool = False


def distinct_ratios(ratios: Sequence[float], flip: bool) -> list[float]:
    """Return 1 and each distinct ratio, with ``flip`` followed by its inverse."""
    result = [1.0]
    for ratio in ratios:
        if all(abs(ratio - known) >= 1e-6 for known in result):
            result += [ratio, 1 / ratio] if flip else [ratio]
    return result


def fixed_priors(
    sizes: Sequence[float], densities: Sequence[float], fixed_ratios: Sequence[float], ratios: Sequence[float]
) -> list[Prior]:
    """Return the priors of fixed sizes: for each ratio a grid of ``density x density``, spread over the size."""
    priors = []
    for index, size in enumerate(sizes):
        density = int(densities[index]) if index < len(densities) else 0
        shift = int(size / density) if density else 0
        first = shift / 2 - int(size) // 2
        for ratio in fixed_ratios or ratios:
            root = np.sqrt(ratio)
            half = int(size) / 2 if ratio == 1 and not fixed_ratios else size / 2
            for row, column in np.ndindex(density, density):
                moved = (first + column * shift, first + row * shift)
                priors.append(Prior(half * root, half / root, *moved, is_fixed=True))
    return priors


def sized_priors(
    min_sizes: Sequence[float],
    max_sizes: Sequence[float],
    ratios: Sequence[float],
    *,
    ratios_of_each: bool,
    max_first: bool,
) -> list[Prior]:
    """Return the priors of each minimum size: a square, one between minimum and maximum, and one for each ratio but 1.

    Without ``ratios_of_each``, the ratios are applied only once, to the first size, after all others.
    """
    priors = []
    for index, size in enumerate(min_sizes):
        priors.append(Prior(size / 2, size / 2))
        between = [float(np.sqrt(size * max_sizes[index])) / 2] if index < len(max_sizes) else []
        largest = [Prior(half, half) for half in between]
        stretched = []
        if ratios_of_each or index == len(min_sizes) - 1:
            half = (size if ratios_of_each else min_sizes[0]) / 2
            roots = [float(np.sqrt(ratio)) for ratio in ratios if abs(ratio - 1) >= 1e-6]
            stretched = [Prior(half * root, half / root) for root in roots]
        priors += largest + stretched if max_first else stretched + largest
    return priors


def lay_out(priors: Sequence[Prior], center_x: Array, center_y: Array, width: float, height: float) -> Array:
    """Return the corners ``[rows, columns, priors, 4]`` of the priors around centers, in pixels of the image.

    Fixed priors are clipped to the image.
    """
    kind = np.float32
    table = np.array([prior[:4] for prior in priors], kind).reshape(-1, 4)
    x = center_x.astype(kind)[None, :, None] + table[:, 2]
    y = center_y.astype(kind)[:, None, None] + table[:, 3]
    center = np.stack(np.broadcast_arrays(x, y), axis=-1)
    corners = np.concatenate([center - table[:, :2], center + table[:, :2]], axis=-1)
    corners /= np.array([width, height] * 2, kind)
    fixed = np.array([prior.is_fixed for prior in priors], np.bool_)[:, None]
    inside = np.concatenate([np.maximum(corners[..., :2], 0), np.minimum(corners[..., 2:], 1)], axis=-1)
    return np.where(fixed, inside, corners)


def with_variances(corners: Array, variance: Sequence[float], length: int) -> Array:
    """Return two rows of ``length``: the flattened corners, and the variance of each coordinate, 0.1 by default."""
    flat = corners.reshape(-1)[:length]
    result = np.zeros((2, length), np.float32)
    result[0, : flat.size] = flat
    result[1] = np.resize(np.array(variance or [0.1], np.float32), length)
    return result
