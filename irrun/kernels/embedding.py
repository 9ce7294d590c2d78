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
    bags: Array,
    count: int,
    weights: Array | None = None,
    default_index: int | None = None,
    *,
    mean: bool = False,
) -> Array:
    """Return the weighted sum or mean of the rows of ``table`` at the ``indices`` of each of ``count`` bags.

    ``bags`` ascends and is the bag of each index; indices of bags that do not exist are ignored. An empty bag is the
    row at ``default_index``, or zero.
    """
    result = np.zeros((count, *table.shape[1:]), table.dtype)
    begin, end = np.searchsorted(bags, [0, count])
    step = max(_BLOCK // max(math.prod(table.shape[1:]), 1), 1)
    for first in range(begin, end, step):
        part = slice(first, min(first + step, end))
        rows = table[indices[part]]
        if weights is not None:
            rows = rows * _beside(weights[part], rows)
        own, starts = np.unique(bags[part], return_index=True)
        result[own] += np.add.reduceat(rows, starts, axis=0, dtype=table.dtype)
    counts = np.bincount(bags[begin:end], minlength=count)
    if mean:
        result = _divide(result, _beside(np.maximum(counts, 1), result))
    if default_index is not None:
        result[counts == 0] = table[default_index]
    return result


def reduce_rows(table: Array, indices: Array, weights: Array | None = None, *, mean: bool = False) -> Array:
    """Return, for each row of ``indices`` [batch, count], the weighted sum or mean of the rows of ``table``."""
    batch, count = indices.shape
    flat = None if weights is None else weights.reshape(-1)
    return reduce_bags(table, indices.reshape(-1), np.repeat(np.arange(batch), count), batch, flat, mean=mean)


def bags_from(offsets: Array, count: int) -> Array:
    """Return the bag of each of ``count`` indices, given where each bag begins; -1 before the first one."""
    return np.searchsorted(offsets, np.arange(count), side="right") - 1


def _beside(values: Array, rows: Array) -> Array:
    return values.reshape(-1, *(1,) * (rows.ndim - 1))


def _divide(sums: Array, counts: Array) -> Array:
    """Divide sums by counts; integers are rounded toward zero."""
    if sums.dtype.kind == "f":
        return np.asarray(sums / counts.astype(sums.dtype))
    return np.asarray(np.sign(sums) * (np.abs(sums) // counts.astype(sums.dtype)))
