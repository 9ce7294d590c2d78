"""Attention."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from irrun.ops.fused.fused_attention import FusedAttention
from irrun.runtime.lowering.builder import F32, Builder, lowers, share
from irrun.tensor import Array
from irrun.tensor.element_type import BF16, F16
from irrun_kernels.attention import KEYS, Attention, attention, workspace_of
from irrun_kernels.host import LANES
from irrun_kernels.scores import ADDED, FILLED, KEPT, SEEN, Heads


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
    others = [x for x in (query, key, value, bias, scale, sink) if x is not None]
    if op.precision_of(query.shape[-2]) is F16 or query.ndim not in (3, 4, 5) or any(x.dtype != F32 for x in others):
        return None
    if mask is not None and mask.dtype not in (F32, np.bool_):
        return None
    if op.key_transposed:
        key = key.swapaxes(-1, -2)
    (queries, depth), (keys, width) = query.shape[-2:], value.shape[-2:]
    shared = query.shape[-3] if key.shape[-3] == value.shape[-3] == 1 else op.shared
    # Heads of queries that share keys count for one here.
    stacks = (*query.shape[:-3], query.shape[-3] // shared)
    *lead, groups = (1, 1, *np.broadcast_shapes(stacks, key.shape[:-2], value.shape[:-2]))[-3:]
    heads = groups * shared
    out = builder.empty((*lead, queries, heads, width)).swapaxes(2, 3)
    whole = np.broadcast_to(query, (*lead, heads, queries, depth))
    arguments, parts, workspace = arguments_of(op, builder, whole, out, shared, keys)
    arguments = arguments._replace(
        key=heads_of(builder, key, (*lead, groups, keys, depth)),
        value=heads_of(builder, value, (*lead, groups, keys, width)),
        mask=heads_of(builder, mask, (*lead, heads, queries, keys)),
        bias=heads_of(builder, bias, (*lead, heads, queries, keys)),
        sink=heads_of(builder, sink, (*lead, heads, queries, 1)),
        factor=builder.address(scale),
        mask_form=form_of(op, None if mask is None else mask.dtype),
    )
    builder.call(attention, arguments, math.prod(lead) * groups * parts, workspace)
    return out.reshape(out.shape[5 - query.ndim :])


def form_of(op: FusedAttention, mask: np.dtype[Any] | None) -> int:
    """The form of a mask of this type."""
    if mask != np.bool_:
        return ADDED
    return SEEN if op.filling is None else FILLED if op.inverted else KEPT


def heads_of(builder: Builder, x: Array | None, sizes: tuple[int, ...]) -> Heads:
    """The address and the strides of an array that is broadcast to these sizes."""
    return Heads() if x is None else Heads(builder.address(x), *(0, *np.broadcast_to(x, sizes).strides)[-5:])


def arguments_of(
    op: FusedAttention, builder: Builder, query: Array, out: Array, shared: int, keys: int
) -> tuple[Attention, int, int]:
    """Return what queries, results and the number of keys tell; parts of each group of heads; and the workspace."""
    (*lead, heads, queries, depth), width = query.shape, out.shape[-1]
    groups, halves = heads // shared, op.precision_of(queries) is BF16
    rows = queries * shared
    blocks = 1 if halves else max(1, -(-keys // KEYS))
    block = max(1, -(-keys // (blocks * LANES))) * LANES
    most = min(-(-_TASKS // max(1, math.prod(lead) * groups)), max(1, rows // _LEAST_ROWS, min(rows, 2)))
    _, parts = share(most, (0.015 * rows + 0.1) * keys * depth)
    arguments = Attention(
        query=heads_of(builder, query, query.shape),
        out=heads_of(builder, out, out.shape),
        stacks=lead[-1],
        groups=groups,
        shared=shared,
        queries=queries,
        keys=keys,
        depth=depth,
        width=width,
        block=block,
        parts=parts,
        causal=int(op.causal),
        guarded=int(op.guarded),
        halves=int(halves),
        scale=op.scale_of(depth),
        cap=op.cap,
        filling=op.filling or 0.0,
    )
    return arguments, parts, workspace_of(-(-rows // parts), depth, width, block)


_TASKS: Final = 8
_LEAST_ROWS: Final = 16
"""Tasks of a call, and rows of a task, as far as there is enough work."""
