"""Attention."""

from __future__ import annotations

from irrun.ops.fused.fused_attention import FusedAttention
from irrun.runtime.lowering.builder import Builder, broadcast, broadcast_shape, is_f32, is_symbolic, lowers
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.lowering.stacks import matrices_of
from irrun.runtime.symbolic import largest, least, of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor.element_type import BF16, F16
from irrun.tensor.element_type import F32 as F32_TYPE
from irrun_kernels.attention import TILE, Attention, attention
from irrun_kernels.cache import CachedAttention, cached_attention, workspace_of
from irrun_kernels.host import LANES
from irrun_kernels.native import NOWHERE


@lowers(FusedAttention)
def attended(
    op: FusedAttention, builder: Builder, query: Operand, key: Operand, value: Operand, mask: Operand | None = None
) -> View | None:
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
    *front, heads = broadcast_shape(groups, key.shape[:-2], value.shape[:-2])
    heads *= op.shared
    rows = query if query.strides[-1] == 4 else contiguous(builder, query)
    values = value if value.strides[-1] == 4 and value.strides[-2] % 4 == 0 else contiguous(builder, value)
    pairs = key if precision is not BF16 or 4 in key.strides[-2:] else contiguous(builder, key)
    if rows is None or values is None or pairs is None:
        return None
    query, key, value = rows, pairs, values
    queries, depth, keys, width = query.shape[-2], query.shape[-1], key.shape[-2], value.shape[-1]
    if is_symbolic(*key.shape) and query.ndim == 4:
        return _cached(op, builder, query, key, value, mask)
    result = builder.empty((*front, queries, heads, width)).swapaxes(-2, -3)
    out = result.reshape(1, *result.shape) if not front else result
    lead = out.shape[:2]
    try:
        query = broadcast(builder, query, (*lead, *query.shape[-2:]))
        key, value = (broadcast(builder, x, (lead[0], heads // op.shared, *x.shape[-2:])) for x in (key, value))
        mask = None if mask is None else broadcast(builder, mask, (*lead, queries, keys))
    except ValueError:
        return None
    each = _queries_of_task(lead[0] * heads, queries, keys * depth)
    tiled, wide = -(-each // TILE) * TILE, -(-keys // LANES) * LANES
    workspace = 16 * tiled + 4 * tiled * wide + 4 * wide * depth + 64
    if precision is BF16:
        workspace += 4 * largest(tiled * depth, keys * (width + LANES), keys * depth)
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


@of_sizes
def _queries_of_task(products: int, queries: int, work: int) -> int:
    blocks = max(1, min(-(-8 // products), queries // 16, int(products * queries * work * 0.015 // 10_000)))
    part = -(-queries // blocks)
    return min(-(-part // TILE) * TILE, 192)


_MOST_QUERIES = 96
"""Queries of a task over keys whose number is not known yet."""


def _cached(
    op: FusedAttention, builder: Builder, query: View, key: View, value: View, mask: Operand | None
) -> View | None:
    """Attention over keys whose number is not known yet."""
    (batch, heads, queries, depth), width, keys = query.shape, value.shape[-1], key.shape[-2]
    if op.causal or op.precision is not F32_TYPE or width % LANES or key.strides[-1] != 4:
        return None
    if mask is not None:
        mask = broadcast(builder, mask, (batch, heads, queries, keys))
    out = builder.empty((batch, queries, heads, width)).swapaxes(1, 2)
    each = least(queries, _MOST_QUERIES)
    tables = {
        name: [builder.address(x), *x.shape, *x.strides]
        for name, x in (("key", key), ("value", value), ("mask", mask))
        if x is not None
    }
    builder.call(
        cached_attention,
        CachedAttention(
            query=matrices_of(builder, query),
            key=NOWHERE,
            value=NOWHERE,
            mask=NOWHERE,
            out=matrices_of(builder, out),
            heads=heads,
            shared=op.shared,
            queries=queries,
            depth=depth,
            width=width,
            queries_per_task=each,
            scale=op.scale if op.scale is not None else depth**-0.5,
        ),
        batch * heads * -(-queries // each),
        workspace_of(each, depth),
        tables,
    )
    return out
