"""Attention of queries to selected blocks of keys."""

from __future__ import annotations

import numpy as np

from irrun.kernels.attention import attention
from irrun.kernels.threads import Array


def block_sparse_attention(
    query: Array,
    key: Array,
    value: Array,
    blocks: Array,
    used: Array | None,
    scale: float,
    *,
    block_size: int,
    causal: bool,
) -> Array:
    """Compute attention in which a block of queries sees the key blocks that ``blocks`` lists for it.

    ``blocks`` is [B, heads, query blocks, count]. An entry that is not a block, or not ``used``, is ignored; a repeated
    one counts repeatedly. The result of a query without keys is zero.
    """
    available = key.shape[-2] // block_size
    chosen = blocks[..., None] == np.arange(available)
    if used is not None:
        chosen &= (used != 0)[..., None]
    times = np.repeat(np.repeat(chosen.sum(axis=-2), block_size, axis=-1), block_size, axis=-2)
    if causal:
        times = times * np.tri(times.shape[-2], times.shape[-1], dtype=np.int64)
    bias = np.log(times).astype(query.dtype)
    result = attention(query, key, value, bias, scale, causal=False)
    return np.where(times.any(axis=-1, keepdims=True), result, 0).astype(query.dtype, copy=False)


def select_blocks(index_query: Array, index_keys: Array, keys: int, ratio: int, budget: int) -> tuple[Array, Array]:
    """Return the keys seen by each of the last queries: a mask [N, L, keys], positions [N, L, budget + ratio - 1].

    A query at position p sees the ``budget // ratio`` best-scoring blocks among those that end at p or before, and its
    own incomplete block. Positions are ordered by descending score, then those of the incomplete block, then -1.
    """
    batch, _, length, _ = index_query.shape
    position = keys - length + np.arange(length)
    complete = (position + 1) // ratio
    products = np.matmul(index_query.astype(np.float32), np.swapaxes(index_keys, -1, -2)[:, None].astype(np.float32))
    scores = np.maximum(products, 0).sum(axis=1)
    scores = np.where(np.arange(scores.shape[-1]) < complete[:, None], scores, -np.inf)
    order = np.argsort(-scores, axis=-1, kind="stable")
    taken = np.minimum(complete, budget // ratio) * ratio
    column = np.arange(budget + ratio - 1)
    tail = complete[:, None] * ratio + column - taken[:, None]
    positions = np.where(tail <= position[:, None], tail, -1)
    positions = np.broadcast_to(positions, (batch, *positions.shape))
    if order.shape[-1]:
        rank = np.broadcast_to(np.minimum(column // ratio, order.shape[-1] - 1), positions.shape)
        of_blocks = np.take_along_axis(order, rank, axis=-1) * ratio + column % ratio
        positions = np.where(column < taken[:, None], of_blocks, positions)
    mask = np.zeros((batch, length, keys + 1), np.bool_)
    np.put_along_axis(mask, positions, True, axis=-1)
    return mask[..., :keys], positions
