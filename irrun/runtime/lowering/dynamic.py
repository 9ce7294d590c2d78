"""Products with weights of few bits: their codes in panels, and rows that are rounded to bytes on the way."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from irrun.kernels.compiled.backends import OF_BYTES
from irrun.kernels.compiled.dynamic import MIDDLE, DynamicProduct, Quantize, dynamic_product, quantize_rows
from irrun.kernels.compiled.functions import End
from irrun.kernels.compiled.host import LANES
from irrun.kernels.compiled.tiling import pack, padded_columns, tiling, words_of
from irrun.kernels.dynamic_quantization import codes_of, groups_of
from irrun.kernels.nibbles import Nibbles
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.runtime.lowering.builder import U8, Builder, share
from irrun.runtime.lowering.copies import contiguous
from irrun.tensor import Array


def dynamically(op: FusedPackedMatMul, builder: Builder, data: Array, summand: Array | None, end: End) -> Array | None:
    """A product of rows that are rounded to bytes."""
    stored = op.weights.stored
    filters, count, each = stored.shape
    depth = count * each
    groups = groups_of(op.group_size, depth, each)
    bits, centre = codes_of(stored)
    rows = rows_of(builder, data)
    summand_rows = None if summand is None else rows_of(builder, summand)
    if groups.part % (32 // bits) or rows is None or (summand is not None and summand_rows is None):
        return None
    points, parts = len(rows), depth // groups.part
    codes, sides = builder.empty((points, depth), U8), builder.empty((points, parts, 2))
    each_task, tasks = share(points, 0.5 * rows.size)
    builder.call(
        quantize_rows,
        Quantize(
            x=builder.address(rows),
            codes=builder.address(codes),
            sides=builder.address(sides),
            points=points,
            depth=depth,
            x_row=rows.strides[0],
            group=groups.size,
            part=groups.part,
            bits=bits,
            rows_per_task=each_task,
        ),
        tasks,
    )
    cut, padded = tiling(points, 1, depth // 4, filters), padded_columns(filters)
    scale = np.float32(1) if op.weights.scale is None else op.weights.scale
    sums = (stored[:].astype(np.int32) - centre).reshape(filters, parts, groups.part).sum(2, dtype=np.int32)
    starts = np.zeros((parts, padded), np.int32)
    starts[:, :filters] = (OF_BYTES.offset - MIDDLE) * sums.T
    scales, zeros = (
        by_group(np.broadcast_to(side, (filters, count)), padded)
        for side in (scale, op.weights.zero - np.float32(centre))
    )
    out = builder.empty((*data.shape[:-1], filters))
    builder.call(
        dynamic_product,
        DynamicProduct(
            x=builder.address(codes),
            sides=builder.address(sides),
            codes=builder.packed(
                ("codes", bits), source_of(stored), cut.vectors, lambda: panels(stored, centre, bits, cut.vectors)
            ),
            scales=builder.constant(scales),
            zeros=builder.constant(zeros),
            starts=builder.constant(starts, starts.dtype),
            bias=0 if op.bias is None else builder.constant(op.bias),
            out=builder.address(out),
            summand=0 if summand_rows is None else builder.address(summand_rows),
            bits=bits,
            points=points,
            depth=depth,
            filters=filters,
            padded=padded,
            group=each,
            part=groups.part,
            summand_row=0 if summand_rows is None else summand_rows.strides[0],
            tile_rows=cut.rows,
            vectors=cut.vectors,
            points_per_task=cut.points,
            cuts=cut.groups,
            **end._asdict(),
        ),
        cut.tasks,
        24 * (cut.points + cut.rows) + groups.part * cut.vectors * LANES + 64,
    )
    return out


_PACKED_AT_ONCE: Final = 1 << 20
"""Codes that are brought into order at a time, so that copies on the way stay small."""


def panels(stored: Array | Nibbles, centre: int, bits: int, vectors: int) -> Array:
    """The codes of weights [filters, groups, depth of a group] less ``centre``, packed in panels."""
    filters, panel = stored.shape[0], vectors * LANES
    step = max(1, _PACKED_AT_ONCE // (math.prod(stored.shape[1:]) * panel)) * panel
    parts = []
    for begin in range(0, filters, step):
        codes = np.subtract(stored[begin : begin + step], centre, dtype=np.int16).astype(np.int8)
        parts.append(pack(words_of(codes.reshape(len(codes), -1).T, bits), vectors))
    return np.concatenate(parts)


def by_group(side: Array, padded: int) -> Array:
    """Scales or zero points [filters, groups] as [groups, padded], with zeros behind them."""
    rows = np.zeros((side.shape[1], padded), np.float32)
    rows[:, : side.shape[0]] = side.T
    return rows


def source_of(stored: Array | Nibbles) -> Array:
    """The array that holds the codes."""
    return stored.pairs if isinstance(stored, Nibbles) else stored


def rows_of(builder: Builder, x: Array) -> Array | None:
    """[..., K] as rows [M, K] of neighbours, a view or a copy."""
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    if np.may_share_memory(rows, x) and (rows.strides[1] == x.itemsize or rows.shape[1] == 1):
        return rows
    whole = contiguous(builder, x)
    return None if whole is None else whole.reshape(rows.shape)
