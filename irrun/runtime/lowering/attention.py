"""Attention."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.ops.fused.fused_attention import FusedAttention
from irrun.runtime.lowering.builder import F32, Builder, lowers, share
from irrun.tensor import Array
from irrun.tensor.element_type import BF16, F16
from irrun_kernels.attention import KEYS, Attention, Heads, attention, workspace_of
from irrun_kernels.host import LANES


@lowers(FusedAttention)
def attended(
    op: FusedAttention,
    builder: Builder,
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None = None,
    bias: Array | None = None,
    scale: Array | None = None,
    sink: Array | None = None,
) -> Array | None:
    """Attention, head by head."""
    others = [x for x in (key, value, scale, sink) if x is not None]
    masks = [x for x in (mask, bias) if x is not None]
    if op.precision_of(query.shape[-2]) is F16 or query.ndim not in (3, 4) or any(x.dtype != F32 for x in others):
        return None
    if query.dtype != F32 or any(x.dtype not in (F32, np.bool_) for x in masks):
        return None
    if op.key_transposed:
        key = key.swapaxes(-1, -2)
    (queries, depth), (keys, width) = query.shape[-2:], value.shape[-2:]
    # Queries that share a key count for one here.
    shared = (*query.shape[:-3], query.shape[-3] // op.shared)
    batch, groups = (1, *np.broadcast_shapes(shared, key.shape[:-2], value.shape[:-2]))[-2:]
    heads = groups * op.shared
    out = builder.empty((batch, queries, heads, width)).swapaxes(1, 2)
    arguments, parts, workspace = arguments_of(
        op, builder, np.broadcast_to(query, (batch, heads, queries, depth)), out, keys
    )
    arguments = arguments._replace(
        key=heads_of(builder, key, (batch, groups, keys, depth)),
        value=heads_of(builder, value, (batch, groups, keys, width)),
        mask=heads_of(builder, mask, (batch, heads, queries, keys)),
        bias=heads_of(builder, bias, (batch, heads, queries, keys)),
        sink=heads_of(builder, sink, (batch, heads, queries, 1)),
        factor=builder.address(scale),
        mask_width=0 if mask is None else mask.itemsize,
        bias_width=0 if bias is None else bias.itemsize,
    )
    builder.call(attention, arguments, batch * groups * parts, workspace)
    return out if query.ndim == 4 else out[0]


def heads_of(builder: Builder, x: Array | None, sizes: tuple[int, ...]) -> Heads:
    """The address and the strides of an array that is broadcast to these sizes."""
    return Heads() if x is None else Heads(builder.address(x), *np.broadcast_to(x, sizes).strides)


def arguments_of(
    op: FusedAttention, builder: Builder, query: Array, out: Array, keys: int
) -> tuple[Attention, int, int]:
    """Return what queries, results and the number of keys tell; parts of each group of heads; and the workspace."""
    (batch, heads, queries, depth), width = query.shape, out.shape[-1]
    groups, halves = heads // op.shared, op.precision_of(queries) is BF16
    rows = queries * op.shared
    blocks = 1 if halves else max(1, -(-keys // KEYS))
    block = max(1, -(-keys // (blocks * LANES))) * LANES
    most = min(-(-_TASKS // max(1, batch * groups)), max(1, rows // _LEAST_ROWS, min(rows, 2)))
    _, parts = share(most, (0.015 * rows + 0.1) * keys * depth)
    arguments = Attention(
        query=heads_of(builder, query, query.shape),
        key=Heads(),
        value=Heads(),
        mask=Heads(),
        bias=Heads(),
        sink=Heads(),
        factor=builder.address(None),
        out=heads_of(builder, out, out.shape),
        mask_width=0,
        bias_width=0,
        groups=groups,
        shared=op.shared,
        queries=queries,
        keys=keys,
        depth=depth,
        width=width,
        block=block,
        parts=parts,
        causal=int(op.causal),
        scale=op.scale_of(depth),
        halves=int(halves),
    )
    return arguments, parts, workspace_of(-(-rows // parts), depth, width, block)


_TASKS: Final = 8
_LEAST_ROWS: Final = 16
"""Tasks of a call, and rows of a task, as far as there is enough work."""
