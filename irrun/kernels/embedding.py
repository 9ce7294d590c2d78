"""Weighted sums and means of table rows, in bags."""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.threads import Array

_BLOCK = 1 << 18
"""Elements that are looked up and summed at a time."""


def reduce_bags(
    table: Array,
    indices: Array,
    starts: Array,
    ends: Array,
    weights: Array | None = None,
    default_index: int | None = None,
    *,
    mean: bool = False,
) -> Array:
    """Return, for each bag, the weighted sum or mean of the rows of ``table`` at ``indices[start:end]``.

    Bags are contiguous. An empty bag is the row at ``default_index``, or zero.
    """
    counts = ends - starts
    filled = counts > 0
    result = np.zeros((starts.shape[0], *table.shape[1:]), table.dtype)
    if default_index is not None:
        result[~filled] = table[default_index]
    if not filled.any():
        return result
    begins, stops = starts[filled], ends[filled]
    sums = np.empty((len(begins), *table.shape[1:]), table.dtype)
    step = _step(table)
    bag = 0
    while bag < len(begins):
        first = int(begins[bag])
        after = max(int(np.searchsorted(stops, first + step, side="right")), bag + 1)
        if after == bag + 1:
            sums[bag] = _sum(table, indices, weights, first, int(stops[bag]))
        else:
            rows = _weighted(table, indices, weights, first, int(stops[after - 1]))
            sums[bag:after] = np.add.reduceat(rows, begins[bag:after] - first, axis=0, dtype=table.dtype)
        bag = after
    result[filled] = _divide(sums, _beside(counts[filled], sums)) if mean else sums
    return result


def reduce_rows(table: Array, indices: Array, weights: Array | None = None, *, mean: bool = False) -> Array:
    """Return, for each row of ``indices`` [batch, count], the weighted sum or mean of the rows of ``table``."""
    count = indices.shape[1]
    starts = np.arange(len(indices)) * count
    flat = None if weights is None else weights.reshape(-1)
    return reduce_bags(table, indices.reshape(-1), starts, starts + count, flat, mean=mean)


def _sum(table: Array, indices: Array, weights: Array | None, first: int, last: int) -> Array:
    """Return the weighted sum of the rows of one bag, a block at a time."""
    step = _step(table)
    total = np.zeros(table.shape[1:], table.dtype)
    for begin in range(first, last, step):
        total += _weighted(table, indices, weights, begin, min(begin + step, last)).sum(axis=0, dtype=table.dtype)
    return total


def _weighted(table: Array, indices: Array, weights: Array | None, first: int, last: int) -> Array:
    rows: Array = table[indices[first:last]]
    return rows if weights is None else rows * _beside(weights[first:last], rows)


def _step(table: Array) -> int:
    """Return the number of rows of a block."""
    return max(_BLOCK // max(math.prod(table.shape[1:]), 1), 1)


def _beside(values: Array, rows: Array) -> Array:
    return values.reshape(-1, *(1,) * (rows.ndim - 1))


def _divide(sums: Array, counts: Array) -> Array:
    """Divide sums by counts; integers are rounded toward zero."""
    if sums.dtype.kind == "f":
        return np.asarray(sums / counts.astype(sums.dtype))
    return np.asarray(np.sign(sums) * (np.abs(sums) // counts.astype(sums.dtype)))
