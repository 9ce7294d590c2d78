"""The distinct elements or slices of a tensor."""

from __future__ import annotations

import math

import numpy as np

from irrun.kernels.threads import Array


def unique(data: Array, axis: int | None, *, ordered: bool) -> tuple[Array, Array, Array, Array]:
    """Return ``(distinct, first, inverse, counts)`` of the elements, or of the slices along ``axis``.

    ``first`` are the indices of first occurrences, ``inverse`` the index of every element in ``distinct``. The distinct
    ones are sorted (slices by their elements in order) or, unless ``ordered``, in order of first occurrence.
    """
    if axis is None:
        _, first, inverse, counts = _sorted_unique(data.reshape(-1))
    else:
        codes = _sorted_unique(data.reshape(-1))[2].reshape(data.shape)
        slices = np.moveaxis(codes, axis, 0)
        rows = slices.reshape(len(slices), math.prod(slices.shape[1:]))
        first, inverse, counts = _unique_rows(rows)
    if not ordered:
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        first, inverse, counts = first[order], rank[inverse], counts[order]
    return np.take(data.reshape(-1) if axis is None else data, first, axis=axis or 0), first, inverse, counts


def _sorted_unique(flat: Array) -> tuple[Array, Array, Array, Array]:
    values, first, inverse, counts = np.unique(flat, return_index=True, return_inverse=True, return_counts=True)
    return values, first, inverse.reshape(-1), counts


def _unique_rows(rows: Array) -> tuple[Array, Array, Array]:
    """Return ``(first, inverse, counts)`` of the distinct rows of an integer matrix, sorted."""
    count, width = rows.shape
    order = np.lexsort(rows.T[::-1]) if width and count else np.arange(count)
    ranked = rows[order]
    starts = np.ones(count, dtype=np.bool_)
    starts[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    group = np.cumsum(starts) - 1
    inverse = np.empty(count, dtype=np.int64)
    inverse[order] = group
    return order[starts], inverse, np.bincount(group, minlength=int(starts.sum()))
