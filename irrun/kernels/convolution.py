"""Convolution and its transpose over any number of spatial axes, as matrix products."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irrun.kernels.windows import Array, extent, pad, view

_COLUMN_ELEMENTS = 1 << 20


def convolve(
    data: Array,
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    ends: Sequence[int],
) -> Array:
    """Cross-correlate data [N, G * I, *S], zero-padded, with weights [G, O, I, *K]: [N, G * O, *out]."""
    groups, filters, depth, *kernel = weights.shape
    padded = pad(data, begins, ends)
    counts = [
        (size - extent(taps, dilation)) // stride + 1
        for size, taps, dilation, stride in zip(padded.shape[2:], kernel, dilations, strides, strict=True)
    ]
    if 0 in (data.shape[0], filters, groups, *counts) or depth == 0:
        return np.zeros((data.shape[0], groups * filters, *counts), data.dtype)
    if all(taps == 1 for taps in kernel):
        return _pointwise(view(padded, [0] * len(counts), strides, counts), weights)
    return _columnwise(padded, weights, strides, dilations, counts)


def _pointwise(data: Array, weights: Array) -> Array:
    """Convolve with a kernel of one element, as one matrix product for each group."""
    groups, filters, depth = weights.shape[:3]
    batch, points = data.shape[0], math.prod(data.shape[2:])
    if groups == 1:
        result: Array = np.matmul(weights.reshape(filters, depth), data.reshape(batch, depth, points))
    else:
        result = np.matmul(weights.reshape(groups, filters, depth), data.reshape(batch, groups, depth, points))
    return result.reshape(batch, groups * filters, *data.shape[2:])


def _columnwise(
    padded: Array, weights: Array, strides: Sequence[int], dilations: Sequence[int], counts: Sequence[int]
) -> Array:
    """Convolve by copying windows into the columns of a matrix, for as many output rows at a time as fit the cache."""
    groups, filters, depth, *kernel = weights.shape
    batch, inner = padded.shape[0], math.prod(counts[1:])
    taps = depth * math.prod(kernel)
    if inner > 1 and groups * taps * inner > _COLUMN_ELEMENTS:
        return _in_halves(padded, weights, strides, dilations, counts)
    matrix = weights.reshape(groups, filters, taps)
    result = np.empty((batch, groups, filters, counts[0] * inner), padded.dtype)
    step = min(counts[0], max(1, _COLUMN_ELEMENTS // (groups * taps * inner)))
    buffer = np.empty(groups * taps * step * inner, padded.dtype)
    for image, target in zip(padded, result, strict=True):
        for first in range(0, counts[0], step):
            rows = min(step, counts[0] - first)
            columns = buffer[: groups * taps * rows * inner].reshape(groups * depth, *kernel, rows, *counts[1:])
            for offset in np.ndindex(*kernel):
                starts = [o * d for o, d in zip(offset, dilations, strict=True)]
                starts[0] += first * strides[0]
                columns[(slice(None), *offset)] = view(image, starts, strides, (rows, *counts[1:]))
            points = slice(first * inner, (first + rows) * inner)
            np.matmul(matrix, columns.reshape(groups, taps, rows * inner), out=target[..., points])
    return result.reshape(batch, groups * filters, *counts)


def _in_halves(
    padded: Array, weights: Array, strides: Sequence[int], dilations: Sequence[int], counts: Sequence[int]
) -> Array:
    """Convolve in two parts along the longest axis but the first: a row of windows exceeds the block."""
    axis = max(range(1, len(counts)), key=lambda axis: counts[axis])
    size = extent(weights.shape[3 + axis], dilations[axis])
    half, parts = counts[axis] // 2, []
    for first, count in ((0, half), (half, counts[axis] - half)):
        begin = first * strides[axis]
        within = slice(begin, begin + (count - 1) * strides[axis] + size)
        piece = padded[(slice(None),) * (2 + axis) + (within,)]
        parts.append(_columnwise(piece, weights, strides, dilations, [*counts[:axis], count, *counts[axis + 1 :]]))
    return np.concatenate(parts, axis=2 + axis)


def convolve_transposed(
    data: Array,
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    sizes: Sequence[int],
) -> Array:
    """Compute the transpose of ``convolve``: data [N, G * I, *S], weights [G, I, O, *K], result [N, G * O, *sizes].

    Each input element adds a scaled kernel to the output; ``begins`` is the number of elements cropped from the start
    of the full result along each axis.
    """
    groups, depth, filters, *kernel = weights.shape
    batch, spatial = data.shape[0], data.shape[2:]
    full = [
        max((size - 1) * stride + extent(taps, dilation), 0)
        for size, taps, dilation, stride in zip(spatial, kernel, dilations, strides, strict=True)
    ]
    canvas = np.zeros((batch, groups, filters, *full), data.dtype)
    count = math.prod(kernel)
    points = math.prod(spatial)
    step = max(1, _COLUMN_ELEMENTS // max(groups * filters * points, 1))
    taps = weights.reshape(groups, depth, filters, count)
    for first in range(0, count, step):
        some = range(first, min(first + step, count))
        matrix = taps[..., first : first + step].reshape(groups, depth, filters * len(some)).swapaxes(1, 2)
        for image, target in zip(data, canvas, strict=True):
            columns = np.matmul(matrix, image.reshape(groups, depth, points))
            columns = columns.reshape(groups, filters, len(some), *spatial)
            for index, tap in enumerate(some):
                offset = np.unravel_index(tap, kernel)
                starts = [int(o) * d for o, d in zip(offset, dilations, strict=True)]
                part = view(target, starts, strides, spatial)
                part += columns[:, :, index]
    whole = canvas.reshape(batch, groups * filters, *full)
    ends = [size + begin - length for size, begin, length in zip(sizes, begins, full, strict=True)]
    return pad(whole, [-begin for begin in begins], ends)


def binary_convolve(
    data: Array,
    weights: Array,
    strides: Sequence[int],
    dilations: Sequence[int],
    begins: Sequence[int],
    ends: Sequence[int],
    pad_value: float,
) -> Array:
    """Count matches minus mismatches between binary data and bits [O, I, *K]."""
    padded = pad(data, begins, ends, np.asarray(pad_value).astype(data.dtype))
    nothing = [0] * len(strides)
    signs = (padded == 1).astype(np.float32) - (padded == 0)
    result = convolve(signs, weights[np.newaxis].astype(np.float32) * 2 - 1, strides, dilations, nothing, nothing)
    neither = signs == 0
    if neither.any():
        every = np.ones((1, 1, *weights.shape[1:]), np.float32)
        result = result - convolve(neither.astype(np.float32), every, strides, dilations, nothing, nothing)
    return result
