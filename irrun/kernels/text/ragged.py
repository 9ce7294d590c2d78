"""Ragged tensors: row ``i`` is ``data[begins[i]:ends[i]]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irrun.kernels.text.strings import gather, offsets

Array = NDArray[Any]
Ragged = tuple[Array, Array, Array]
"""Begins, ends and data."""


def combined(parts: Sequence[Ragged], ids: Array) -> tuple[Array, Array, Array, Array]:
    """Concatenate ragged tensors row by row: begins, ends, data, and for each element the id of its tensor.

    A tensor with one row is repeated for all rows; there are no rows where one tensor has none.
    """
    sizes = [begins.size for begins, _, _ in parts]
    count = max(sizes) if min(sizes) else 0
    begins = np.stack([_repeated(begins, count) for begins, _, _ in parts]).astype(np.int64)
    lengths = np.stack([_repeated(ends, count) for _, ends, _ in parts]).astype(np.int64) - begins
    bases = np.cumsum([0, *(len(data) for _, _, data in parts[:-1])])
    first = (begins + bases[:, None]).T.reshape(-1)
    data = gather(first, first + lengths.T.reshape(-1), np.concatenate([data for _, _, data in parts]))
    owners = np.repeat(np.tile(ids, count), lengths.T.reshape(-1))
    return (*offsets(lengths.sum(axis=0)), data, owners)


def _repeated(offsets: Array, count: int) -> Array:
    return np.broadcast_to(offsets.reshape(-1)[:count], count)


def dense(ragged: Ragged, size: int, default: Array, *, pad_right: bool, whole: bool) -> tuple[Array, Array]:
    """Return rows of ``size`` elements, and where they are filled: data and mask, [*begins.shape, size, *inner].

    Longer rows keep their beginning, shorter ones are padded. With ``whole`` each row is the ``size`` elements from its
    begin on, whatever its end.
    """
    begins, ends, data = ragged
    first = begins.astype(np.int64)[..., None]
    lengths = np.full_like(first, size) if whole else np.clip(ends[..., None] - first, 0, size)
    place = np.arange(size) - (0 if pad_right else size - lengths)
    mask = (place >= 0) & (place < lengths)
    filled = np.empty((*mask.shape, *data.shape[1:]), data.dtype)
    filled[...] = default
    filled[mask] = data[(first + place)[mask]]
    inner = mask.reshape(*mask.shape, *(1 for _ in data.shape[1:]))
    return filled, np.ascontiguousarray(np.broadcast_to(inner, filled.shape))


def shortened_pair(first: Array, second: Array, longest: int, mode: str) -> tuple[Array, Array]:
    """Return the lengths of two rows after truncation to ``longest`` elements together."""
    over = first + second > longest
    if mode == "only_first":
        return np.where(over, np.minimum(first, longest), first), second
    if mode == "only_second":
        return first, np.where(over, np.minimum(second, longest), second)
    half, rest = longest // 2, longest % 2
    only_first = over & (first >= half + rest) & (second <= half)
    only_second = over & (first < half + rest) & (second > half)
    both = over & ~only_first & ~only_second
    is_first = first >= second
    a = np.where(only_first, longest - second, np.where(both, half + rest * is_first, first))
    b = np.where(only_second, longest - first, np.where(both, half + rest * ~is_first, second))
    return a, b


def from_row_ids(row_ids: Array, count: int) -> tuple[Array, Array]:
    """Return begins and ends, i32 [count], of the rows of elements with ascending row ids.

    A row without elements begins and ends where the next one begins; ids from ``count`` on are ignored.
    """
    edges = np.searchsorted(row_ids, np.arange(count + 1)).astype(np.int32)
    return edges[:-1], edges[1:]
