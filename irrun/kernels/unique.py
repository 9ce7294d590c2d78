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
        _, first, inverse, counts = _sorted_unique(rows, axis=0)
    if not ordered:
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        first, inverse, counts = first[order], rank[inverse], counts[order]
    return np.take(data.reshape(-1) if axis is None else data, first, axis=axis or 0), first, inverse, counts


def _sorted_unique(data: Array, axis: int | None = None) -> tuple[Array, Array, Array, Array]:
    values, first, inverse, counts = np.unique(data, True, True, True, axis)
    return values, first, inverse.reshape(-1), counts
