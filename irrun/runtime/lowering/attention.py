"""Attention."""

from __future__ import annotations

import numpy as np

from irrun.ops.fused.fused_attention import FusedAttention
from irrun.runtime.lowering.builder import Builder, is_f32, lowers
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.lowering.stacks import matrices_of
from irrun.tensor import Array
from irrun.tensor.element_type import BF16, F16
from irrun_kernels.attention import TILE, Attention, attention
from irrun_kernels.host import LANES


@lowers(FusedAttention)
def attended(
    op: FusedAttention, builder: Builder, query: Array, key: Array, value: Array, mask: Array | None = None
) -> Array | None:
    """Attention head by head."""
    if op.key_transposed:
        key = key.swapaxes(-1, -2)
    mask = None if op.causal else mask
    if not is_f32(query, key, value, mask) or query.ndim not in (3, 4):
        return None
    precision = op.precision_of(query.shape[-2])
    if precision is F16:
        return None
    # Queries that share a key count for one here.
    groups = (*query.shape[:-3], query.shape[-3] // op.shared)
    *front, heads = np.broadcast_shapes(groups, key.shape[:-2], value.shape[:-2])
    heads *= op.shared
    rows = query if query.strides[-1] == 4 else contiguous(builder, query)
    values = value if value.strides[-1] == 4 and value.strides[-2] % 4 == 0 else contiguous(builder, value)
    pairs = key if precision is not BF16 or 4 in key.strides[-2:] else contiguous(builder, key)
    if rows is None or values is None or pairs is None:
        return None
    query, key, value = rows, pairs, values
    queries, depth, keys, width = query.shape[-2], query.shape[-1], key.shape[-2], value.shape[-1]
    result = builder.empty((*front, queries, heads, width)).swapaxes(-2, -3)
    out = result.reshape(1, *result.shape) if not front else result
    lead = out.shape[:2]
    try:
        query = np.broadcast_to(query, (*lead, *query.shape[-2:]))
        key, value = (np.broadcast_to(x, (lead[0], heads // op.shared, *x.shape[-2:])) for x in (key, value))
        mask = None if mask is None else np.broadcast_to(mask, (*lead, queries, keys))
    except ValueError:
        return None
    work = lead[0] * heads * queries * keys * depth * 0.015
    blocks = max(1, min(-(-8 // (lead[0] * heads)), queries // 16, int(work // 10_000)))
    part = -(-queries // blocks)
    each = min(-(-part // TILE) * TILE, 192)
    tiled, wide = -(-each // TILE) * TILE, -(-keys // LANES) * LANES
    workspace = 16 * tiled + 4 * tiled * wide + 4 * wide * depth + 64
    if precision is BF16:
        workspace += 4 * max(tiled * depth, keys * (width + LANES), keys * depth)
    builder.call(
        attention,
        Attention(
            query=matrices_of(builder, query),
            key=matrices_of(builder, key),
            value=matrices_of(builder, value),
            mask=matrices_of(builder, mask),
            out=matrices_of(builder, out),
            key_element=key.strides[3],
            mask_element=0 if mask is None else mask.strides[3],
            heads=heads,
            shared=op.shared,
            queries=queries,
            keys=keys,
            depth=depth,
            width=width,
            queries_per_task=each,
            causal=int(op.causal),
            scale=op.scale if op.scale is not None else (depth or 1) ** -0.5,
            halves=int(precision is BF16),
        ),
        lead[0] * heads * -(-queries // each),
        workspace,
    )
    return result
