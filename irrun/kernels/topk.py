"""Selection of the largest or smallest elements, and search in sorted sequences."""

from __future__ import annotations

import numpy as np

from irrun.kernels.threads import Array


def top_k(data: Array, k: int, axis: int, *, largest: bool, by_index: bool) -> tuple[Array, Array]:
    """Return the k largest or smallest elements along an axis, and their indices.

    They are ordered by value, equal ones by index, or with ``by_index`` as in the input. NaN counts as smaller than any
    number.
    """
    rows = np.moveaxis(data, axis, -1)
    picked = _order(rows, k, largest)
    if by_index:
        picked = np.sort(picked, axis=-1)
    return np.moveaxis(np.take_along_axis(rows, picked, axis=-1), -1, axis), np.moveaxis(picked, -1, axis)


def _order(rows: Array, k: int, largest: bool) -> Array:
    """Return the indices of the k first elements along the last axis, best first."""
    is_float = rows.dtype.kind == "f"
    keys = rows if not largest else -rows if is_float else ~rows
    if is_float and not largest and np.isnan(rows).any():
        return np.asarray(np.lexsort((keys, ~np.isnan(rows)), axis=-1))[..., :k]
    return np.argsort(keys, axis=-1, kind="stable")[..., :k]


def search_sorted(sequence: Array, values: Array, *, right: bool) -> Array:
    """Return the position of each value in the ascending last axis of ``sequence``: before equal elements, or after.

    ``sequence`` is 1D, or has the leading sizes of ``values``. All values are bisected at once, which
    is defined for sequences that do not ascend, too: numpy.searchsorted begins where it found the last value.
    """
    size = sequence.shape[-1]
    low = np.zeros(values.shape, np.int64)
    if size == 0:
        return low
    high = np.full(values.shape, size, np.int64)
    for _ in range(size.bit_length()):
        middle = (low + high) // 2
        index = np.minimum(middle, size - 1)
        found = sequence[index] if sequence.ndim == 1 else np.take_along_axis(sequence, index, axis=-1)
        after = ~(values < found) if right else found < values
        after &= low < high
        low, high = np.where(after, middle + 1, low), np.where(after, high, middle)
    return low
