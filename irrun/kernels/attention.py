"""Scaled dot-product attention."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import numpy as np

from irrun.kernels.casting import rounded
from irrun.kernels.threads import Array, scratch

_SCORES: Final = 1 << 18
"""The number of scores processed at a time, so that they stay in the cache."""


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    scale: float,
    *,
    causal: bool,
    bias: Array | None = None,
    sink: Array | None = None,
    cap: float = 0.0,
    filling: float | None = None,
    inverted: bool = False,
    guarded: bool = False,
    precision: str = "f32",
) -> Array:
    """Return softmax(query @ keyᵀ * scale + mask) @ value over the last two axes, broadcast over the others.

    A boolean mask is true where a query attends to a key; a float mask is added, and so is a ``bias``. With ``causal``,
    query i attends to keys 0 to i; infinities and NaN of hidden keys and values propagate. ``sink`` is an additional
    score for each query that takes part in the softmax but has no value. Unless ``cap`` is 0, scores become
    cap * tanh(score) before bias and mask. A ``filling`` replaces the scores of hidden keys, which a boolean mask is
    true for if ``inverted``. Weights that are NaN are 0 if ``guarded``. The full score matrix is never stored. The
    operands of both products are rounded to a ``precision``, the softmax among them.
    """
    queries, keys = query.shape[-2], key.shape[-2]
    stacks = [part.shape[:-2] for part in (query, key, value, mask, bias, sink) if part is not None]
    batch = np.broadcast_shapes(*stacks)
    lead = batch or (1,)
    result = np.zeros((*lead, queries, value.shape[-1]), query.dtype)
    if not result.size or not keys:
        return result.reshape(*batch, *result.shape[-2:])
    filled: Array | None = None
    if mask is not None and filling is not None:
        filled, mask = _spread(mask if inverted else ~mask, lead, queries, keys), None
    summands = [_spread(_summand(part, query.dtype), lead, queries, keys) for part in (bias, mask) if part is not None]
    spare = None if sink is None else _spread(sink, lead, queries, 1)
    factor = query.dtype.type(scale)
    near = (rounded(part, precision) for part in (query, key, value))
    q, k, v = (np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in near)
    k = np.swapaxes(k, -1, -2)
    for stack, begin, stop in _blocks(lead, queries, keys):
        here = (*stack, slice(begin, stop))
        left = q[here]
        scores = scratch("scores", (*left.shape[:-1], keys), q.dtype)
        np.matmul(left, k[stack], out=scores)
        scores *= factor
        if cap:
            np.tanh(scores, out=scores)
            scores *= query.dtype.type(cap)
        if causal and begin < keys:
            diagonal = scores[..., begin:stop]
            diagonal += _later(*diagonal.shape[-2:], scores.dtype)
            scores[..., stop:] -= np.inf
        for added in summands:
            scores += added[here]
        if filled is not None and filling is not None:
            np.copyto(scores, filling, where=filled[here])
        total = _sums(scores, None if spare is None else spare[here])
        if guarded:
            unknown = np.isnan(total)
            np.copyto(scores, 0, where=unknown)
            np.copyto(total, 1, where=unknown)
        scores /= total
        np.matmul(rounded(scores, precision), v[stack], out=result[here])
    return result.reshape(*batch, *result.shape[-2:])


def _blocks(lead: tuple[int, ...], queries: int, keys: int) -> Iterator[tuple[tuple[int | slice, ...], int, int]]:
    """Yield the heads of each block of scores, with the begin and the end of its queries."""
    rows = min(queries, max(_SCORES // keys, 32))
    heads = min(max(_SCORES // (rows * keys), 1), lead[-1])
    for index in np.ndindex(*lead[:-1]):
        for head in range(0, lead[-1], heads):
            stack = (*index, slice(head, min(head + heads, lead[-1])))
            for row in range(0, queries, rows):
                yield stack, row, min(row + rows, queries)


def _summand(mask: Array, dtype: np.dtype[Any]) -> Array:
    return np.where(mask, dtype.type(0), dtype.type(-np.inf)) if mask.dtype == np.bool_ else mask


def _spread(part: Array, lead: tuple[int, ...], rows: int, columns: int) -> Array:
    return np.broadcast_to(part, (*lead, rows, columns))


@lru_cache(8)
def _later(rows: int, columns: int, dtype: np.dtype[Any]) -> Array:
    """Return the causal mask: -inf above the diagonal, 0 elsewhere."""
    return np.triu(np.full((rows, columns), -np.inf, dtype), 1)


def _sums(scores: Array, sink: Array | None) -> Array:
    """Overwrite scores with their exponentials after subtracting each row's maximum; return the sums."""
    peak = np.max(scores, axis=-1, keepdims=True)
    if sink is not None:
        np.maximum(peak, sink, out=peak)
    np.subtract(scores, peak, out=scores)
    np.exp(scores, out=scores)
    total = np.sum(scores, axis=-1, keepdims=True)
    if sink is not None:
        total += np.exp(sink - peak)
    return np.asarray(total)
