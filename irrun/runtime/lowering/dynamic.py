"""Products with weights of few bits: their codes in panels, and rows that are rounded to bytes on the way."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from irrun.kernels.dynamic_quantization import codes_of, groups_of
from irrun.kernels.nibbles import Nibbles
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.runtime.lowering.builder import U8, Builder, share
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.symbolic import of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun_kernels.backends import OF_BYTES
from irrun_kernels.dynamic import MIDDLE, DynamicProduct, Quantize, dynamic_product, quantize_rows
from irrun_kernels.functions import End
from irrun_kernels.host import LANES
from irrun_kernels.pixels import Images
from irrun_kernels.product import Codes
from irrun_kernels.tiling import pack, padded_columns, panel_vectors, tiling, words_of


def dynamically(
    op: FusedPackedMatMul, builder: Builder, data: Operand, summand: Operand | None, end: End
) -> View | None:
    """A product of rows that are rounded to bytes."""
    stored = op.weights.stored
    filters, count, each = stored.shape
    depth = count * each
    groups = groups_of(op.group_size, depth, each)
    bits, centre = codes_of(stored)
    rows, added = rows_of(builder, data), None if summand is None else rows_of(builder, summand)
    if groups.part % (32 // bits) or rows is None or (summand is not None and added is None):
        return None
    points, parts = rows.shape[0], depth // groups.part
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
    vectors = panel_vectors(filters)
    cut = of_sizes(tiling)(points, 1, depth // 4, filters)
    sums = (stored[:].astype(np.int32) - centre).reshape(filters, parts, groups.part).sum(2, dtype=np.int32)
    starts = np.zeros((parts, padded_columns(filters)), np.int32)
    starts[:, :filters] = (OF_BYTES.offset - MIDDLE) * sums.T
    out = builder.empty((*data.shape[:-1], filters))
    builder.call(
        dynamic_product,
        DynamicProduct(
            x=builder.address(codes),
            sides=builder.address(sides),
            **stored_weights(op, builder, vectors, needs_zeros=True),
            starts=builder.constant(starts, starts.dtype),
            bias=builder.constant(op.bias),
            out=builder.address(out),
            summand=Images() if added is None else Images(builder.address(added), pixel=added.strides[0]),
            points=points,
            depth=depth,
            filters=filters,
            part=groups.part,
            cut=cut,
            end=end,
        ),
        cut.tasks,
        24 * (cut.points + cut.rows) + groups.part * vectors * LANES + 64,
    )
    return out


def stored_weights(
    op: FusedPackedMatMul, builder: Builder, vectors: int, *, needs_zeros: bool = False
) -> dict[str, Any]:
    """Weights of few bits as arguments of kernels; zeros that are all 0 are left out unless the kernel needs them."""
    stored = op.weights.stored
    filters, groups, each = stored.shape
    bits, centre = codes_of(stored)
    padded = padded_columns(filters)
    scale = np.float32(1) if op.weights.scale is None else op.weights.scale
    scales, zeros = (np.zeros((groups, padded), np.float32) for _ in range(2))
    scales[:, :filters] = np.broadcast_to(scale, (filters, groups)).T
    zeros[:, :filters] = np.broadcast_to(op.weights.zero - np.float32(centre), (filters, groups)).T
    given = builder.constant(zeros if needs_zeros or zeros.any() else None)
    source = stored.pairs if isinstance(stored, Nibbles) else stored
    panels = builder.packed(("codes", bits), source, vectors, lambda: _panels(stored, centre, bits, vectors))
    return {"panels": panels, "codes": Codes(bits, builder.constant(scales), given, padded, each)}


_PACKED_AT_ONCE: Final = 1 << 20
"""Codes that are brought into order at a time, so that copies on the way stay small."""


def _panels(stored: Array | Nibbles, centre: int, bits: int, vectors: int) -> Array:
    """The codes of weights [filters, groups, depth of a group] less ``centre``, packed in panels."""
    filters, panel = stored.shape[0], vectors * LANES
    depth = math.prod(stored.shape[1:])
    step = max(1, _PACKED_AT_ONCE // (depth * panel)) * panel
    packed = np.empty((depth * bits // 32) * padded_columns(filters), np.uint32)
    place = 0
    for begin in range(0, filters, step):
        codes = np.subtract(stored[begin : begin + step], centre, dtype=np.int16).astype(np.int8)
        part = pack(words_of(codes.reshape(len(codes), -1).T, bits), vectors)
        packed[place : place + part.size] = part
        place += part.size
    return packed


def rows_of(builder: Builder, x: Operand) -> View | None:
    """[..., K] as rows [M, K] of neighbours, a view or a copy."""
    shape = (math.prod(x.shape[:-1]), x.shape[-1])
    rows = builder.view(x).viewed(shape)
    if rows is not None and (rows.strides[1] == x.itemsize or rows.shape[1] == 1):
        return rows
    whole = contiguous(builder, x)
    return None if whole is None else whole.reshape(shape)
