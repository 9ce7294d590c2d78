"""Products of matrices, attention, rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from irrun.kernels.compiled.attention import TILE, Attention, attention
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.packed import DEPTH, PackedProduct, packed_product, words_of
from irrun.kernels.compiled.product import Product, product
from irrun.kernels.compiled.rows import LayerNorm, Softmax, layer_norm, softmax
from irrun.kernels.compiled.tiling import pack, padded_columns, tiling
from irrun.kernels.layout import axes_in_memory
from irrun.kernels.nibbles import Nibbles
from irrun.ops.activation.softmax import SoftMaxV1, SoftMaxV8
from irrun.ops.fused.fused_attention import FusedAttention
from irrun.ops.fused.fused_layer_norm import FusedLayerNorm
from irrun.ops.fused.fused_matmul import FusedMatMul
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.runtime.lowering.builder import Builder, is_f32, lowers, share
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.lowering.elementwise import End, epilogue
from irrun.runtime.lowering.halves import alone, form_of, in_precision, operand, outputs, types, workspace_of
from irrun.tensor import Array
from irrun.tensor.element_type import F16


@lowers(FusedMatMul)
def matmul(op: FusedMatMul, builder: Builder, data: Array, summand: Array | None = None) -> Any:
    """A product with packed weights."""
    end = epilogue(op.activation)
    depth, filters = op.weights.shape
    if end is None or not is_f32(summand) or op.weights.dtype != np.float32 or 0 in (depth, filters):
        return None
    x = operand(op, builder, data)
    data_rows = None if x is None else _rows(builder, x)
    summand_rows = None if summand is None else _rows(builder, summand)
    if data_rows is None or (summand is not None and summand_rows is None):
        return None
    outs = [builder.empty((*data.shape[:-1], filters), dtype) for dtype in types(op)]
    multiplied(builder, op.weights, data_rows, [out.reshape(-1, filters) for out in outs], op.bias, summand_rows, end)
    return alone(outs)


def multiplied(
    builder: Builder,
    weights: Array,
    x: Array,
    outs: Sequence[Array],
    bias: Array | None = None,
    summand: Array | None = None,
    end: End | None = None,
) -> None:
    """Lower a product of rows [M, K] with weights [K, N]; results are f32, bits of bf16, or both."""
    points, filters = len(x), weights.shape[1]
    form = form_of(x)
    depth = -(-weights.shape[0] // form.each)
    cut = tiling(points, 1, depth, filters)
    panels = builder.packed(("rows", form.each), weights, cut.vectors, lambda: form.pack(weights, cut.vectors))
    builder.call(
        product,
        Product(
            x=builder.address(x),
            panels=panels,
            columns=points,
            width=points,
            depth=depth,
            filters=filters,
            x_pixel=x.strides[0],
            halves=form.halves,
            **outputs(builder, [out.reshape(1, 1, points, filters).transpose(0, 3, 1, 2) for out in outs], cut),
            tile_rows=cut.rows,
            vectors=cut.vectors,
            points=cut.points,
            groups=cut.groups,
            bias=0 if bias is None else builder.constant(bias),
            summand=0 if summand is None else builder.address(summand),
            summand_pixel=0 if summand is None else summand.strides[0],
            **(End() if end is None else end)._asdict(),
        ),
        cut.tasks,
        workspace_of(outs, cut),
    )


@lowers(FusedPackedMatMul)
def packed_matmul(op: FusedPackedMatMul, builder: Builder, data: Array, summand: Array | None = None) -> Array | None:
    """A product with weights of at most 8 bits, which stay so in memory."""
    end, stored = epilogue(op.activation), op.weights.stored
    depth, filters = op.weights.shape
    if (
        end is None
        or not is_f32(data, summand)
        or stored.dtype.itemsize != 1
        or 0 in (depth, filters)
        or op.precision is F16
    ):
        return None
    bits, centre = _codes_of(stored)
    groups = stored.shape[1]
    data_rows = _rows(builder, data)
    summand_rows = None if summand is None else _rows(builder, summand)
    if (depth // groups) % (32 // bits) or data_rows is None or (summand is not None and summand_rows is None):
        return None
    points = data_rows.shape[0]
    if points > 1:
        rounded = in_precision(op.precision, builder, data_rows)
        if rounded is None:
            return None
        data_rows = rounded
    out = builder.empty((*data.shape[:-1], filters))
    cut = tiling(points, 1, depth, filters)
    parts = cut.groups if points > 1 else max(1, min(cut.groups, depth * filters // _LEAST_CODES))

    def packed() -> Array:
        panel = cut.vectors * LANES
        step = max(1, _PACKED_AT_ONCE // (depth * panel)) * panel
        parts = []
        for begin in range(0, filters, step):
            codes = np.subtract(stored[begin : begin + step], centre, dtype=np.int16).astype(np.int8)
            parts.append(pack(words_of(codes.reshape(len(codes), depth).T, bits), cut.vectors))
        return np.concatenate(parts)

    padded = padded_columns(filters)
    scale = np.float32(1) if op.weights.scale is None else op.weights.scale
    zero = op.weights.zero - np.float32(centre)
    sides = []
    for side in (np.broadcast_to(scale, (filters, groups)), zero):
        rows = np.zeros((groups, padded), np.float32)
        rows[:, :filters] = side.T
        sides.append(builder.constant(rows))
    builder.call(
        packed_product,
        PackedProduct(
            x=builder.address(data_rows),
            codes=builder.packed(("codes", bits), _source(stored), cut.vectors, packed),
            scales=sides[0],
            zeros=sides[1] if zero.any() else 0,
            bias=0 if op.bias is None else builder.constant(op.bias),
            out=builder.address(out),
            summand=0 if summand_rows is None else builder.address(summand_rows),
            bits=bits,
            points=points,
            depth=depth,
            filters=filters,
            padded=padded,
            group=depth // groups,
            x_row=data_rows.strides[0],
            out_row=4 * filters,
            summand_row=0 if summand_rows is None else summand_rows.strides[0],
            tile_rows=cut.rows,
            vectors=cut.vectors,
            points_per_task=cut.points,
            parts=parts,
            halves=form_of(data_rows).halves,
            **end._asdict(),
        ),
        cut.tasks // cut.groups * parts,
        4 * max(DEPTH, groups) * cut.vectors * LANES + 24 * (cut.points + cut.rows),
    )
    return out


_PACKED_AT_ONCE: Final = 1 << 20
"""Codes that are brought into order at a time, so that copies on the way stay small."""

_LEAST_CODES: Final = 1 << 17
"""Codes that are multiplied by a row in five microseconds."""


def _source(stored: Array | Nibbles) -> Array:
    """The array that holds the codes."""
    return stored.pairs if isinstance(stored, Nibbles) else stored


def _codes_of(stored: Array | Nibbles) -> tuple[int, int]:
    """The bits that codes take, and the number in their middle, which is subtracted from them."""
    if isinstance(stored, Nibbles):
        return 4, 0 if stored.signed else 8
    low, high = int(stored.min()), int(stored.max())
    if high - low < 16:
        return 4, low + 8 if low < -8 or high > 7 else 0
    return 8, 128 if high > 127 else 0


def _rows(builder: Builder, x: Array) -> Array | None:
    """[..., K] as rows [M, K] of neighbours, a view or a copy."""
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    if np.may_share_memory(rows, x) and (rows.strides[1] == x.itemsize or rows.shape[1] == 1):
        return rows
    whole = contiguous(builder, x)
    return None if whole is None else whole.reshape(rows.shape)


@lowers(FusedLayerNorm)
def normalized(op: FusedLayerNorm, builder: Builder, data: Array) -> Array | None:
    """Rows by their mean and variance."""
    whole = contiguous(builder, data) if is_f32(data) else None
    if whole is None:
        return None
    columns = data.shape[-1]
    out = builder.empty(data.shape)
    rows = data.size // columns
    each, tasks = share(rows, 0.5 * data.size)
    builder.call(
        layer_norm,
        LayerNorm(
            builder.address(whole),
            builder.address(out),
            0 if op.gamma is None else builder.constant(np.broadcast_to(op.gamma, (columns,))),
            0 if op.beta is None else builder.constant(np.broadcast_to(op.beta, (columns,))),
            rows,
            columns,
            each,
            op.eps,
            int(op.eps_outside),
            int(op.centred),
        ),
        tasks,
    )
    return out


@lowers(SoftMaxV1, SoftMaxV8)
def softmaxed(op: SoftMaxV1 | SoftMaxV8, builder: Builder, data: Array) -> Array | None:
    """Rows of exponentials, divided by their sums."""
    if not is_f32(data) or data.ndim == 0:
        return None
    axis = op.axis % data.ndim
    order = [other for other in axes_in_memory(data) if other != axis] + [axis]
    whole = contiguous(builder, data.transpose(order))
    if whole is None:
        return None
    columns = data.shape[axis]
    out = builder.empty(whole.shape)
    rows = data.size // columns
    each, tasks = share(rows, 1.0 * data.size + 50 * rows)
    builder.call(softmax, Softmax(builder.address(whole), builder.address(out), rows, columns, each), tasks)
    return out.transpose(np.argsort(order))


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
    # Queries that share a key count for one here.
    groups = (*query.shape[:-3], query.shape[-3] // op.shared)
    *front, heads = np.broadcast_shapes(groups, key.shape[:-2], value.shape[:-2])
    heads *= op.shared
    if query.strides[-1] != 4:
        copy = contiguous(builder, query)
        if copy is None:
            return None
        query = copy
    if value.strides[-1] != 4 or (value.strides[-2] % 4):
        copy = contiguous(builder, value)
        if copy is None:
            return None
        value = copy
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
    wide = -(-keys // LANES) * LANES
    rows = -(-each // TILE) * TILE
    builder.call(
        attention,
        Attention(
            query=builder.address(query),
            key=builder.address(key),
            value=builder.address(value),
            mask=0 if mask is None else builder.address(mask),
            out=builder.address(out),
            batch=lead[0],
            heads=heads,
            shared=op.shared,
            queries=queries,
            keys=keys,
            depth=depth,
            width=width,
            **_strides("query", query),
            **_strides("key", key),
            key_element=key.strides[3] // 4,
            **_strides("value", value),
            **_strides("out", out),
            **_strides("mask", mask),
            mask_element=0 if mask is None else mask.strides[3] // 4,
            queries_per_task=each,
            causal=int(op.causal),
            scale=op.scale if op.scale is not None else (depth or 1) ** -0.5,
        ),
        lead[0] * heads * -(-queries // each),
        16 * rows + 4 * rows * wide + 4 * wide * depth + 64,
    )
    return result


def _strides(name: str, x: Array | None) -> dict[str, int]:
    """Strides from batch to batch, head to head, row to row."""
    values = (0, 0, 0) if x is None else x.strides[:3]
    return dict(zip((f"{name}_batch", f"{name}_head", f"{name}_row"), values, strict=True))
