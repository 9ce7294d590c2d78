"""Weighted sums and means of table rows, in bags."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


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
    first, last = int(starts[filled][0]), int(ends[filled][-1])
    rows = table[indices[first:last]]
    if weights is not None:
        rows = rows * _beside(weights[first:last], rows)
    sums = np.add.reduceat(rows, starts[filled] - first, axis=0, dtype=table.dtype)
    result[filled] = _divide(sums, _beside(counts[filled], sums)) if mean else sums
    return result


def reduce_rows(table: Array, indices: Array, weights: Array | None = None, *, mean: bool = False) -> Array:
    """Return, for each row of ``indices`` [batch, count], the weighted sum or mean of the rows of ``table``."""
    rows = table[indices]
    if weights is not None:
        rows = rows * weights.reshape(*weights.shape, *(1,) * (rows.ndim - 2))
    sums = rows.sum(axis=1, dtype=table.dtype)
    return _divide(sums, np.asarray(indices.shape[1])) if mean else sums


def _beside(values: Array, rows: Array) -> Array:
    return values.reshape(-1, *(1,) * (rows.ndim - 1))


def _divide(sums: Array, counts: Array) -> Array:
    """Divide sums by counts; integers are rounded toward zero."""
    if sums.dtype.kind == "f":
        return np.asarray(sums / counts.astype(sums.dtype))
    return np.asarray(np.sign(sums) * (np.abs(sums) // counts.astype(sums.dtype)))
