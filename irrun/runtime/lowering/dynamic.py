"""Products with weights of few bits: their codes in panels, and rows that are rounded to bytes on the way."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from irrun.kernels.aligned import staying
from irrun.kernels.dynamic_quantization import codes_of, groups_of
from irrun.kernels.lookup import Lookup, Nibbles
from irrun.ops._declared.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.runtime.lowering.builder import U8, Builder, Unsupported, share
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.packing import pack
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.backends import OF_BYTES
from irrun_kernels.dynamic import MIDDLE, Quantize, quantize_rows
from irrun_kernels.native import Address
from irrun_kernels.packed import NUMBERS
from irrun_kernels.product import Codes
from irrun_kernels.tiling import padded_columns, padded_rows, words_of


class Coding(NamedTuple):
    """The storage of weights: codes of some ``bits``, from which ``centre`` is subtracted, of a form of `FORMS`."""

    codes: Array | Nibbles
    bits: int
    centre: int
    form: str
    table: Array | None = None


def coding_of(stored: Array | Nibbles | Lookup) -> Coding:
    """Return how weights are stored; Unsupported where kernels have no such form."""
    if isinstance(stored, Lookup):
        if len(stored.table) == 16:
            return Coding(stored.codes, 4, 0, "table", stored.table)
        if stored.name not in NUMBERS:
            raise Unsupported(f"weights of {stored.name}")
        if not stored.is_finite:
            raise Unsupported("weights that are not finite")
        return Coding(stored.codes, 8, 0, stored.name)
    if stored.dtype.itemsize != 1:
        raise Unsupported(f"weights of {dtype_text(stored.dtype)}")
    bits, centre = codes_of(stored)
    return Coding(stored, bits, centre, f"integers of {bits} bits")


def emit_rounded_rows(
    op: FusedPackedMatMul, builder: Builder, rows: View, coding: Coding, codes: Codes
) -> tuple[View, Codes]:
    """Return rows [M, K] rounded to bytes, and the layout of weights with what a product of these needs besides."""
    stored = coding.codes
    filters, _, each = stored.shape
    points, depth = rows.shape
    groups = groups_of(op.group_size, depth, each)
    parts = depth // groups.part
    out, sides = builder.empty((points, depth), U8), builder.empty((points, parts, 2))
    each_task, tasks = share(points, 0.5 * rows.size)
    builder.call(
        quantize_rows,
        Quantize(
            x=builder.address(rows),
            codes=builder.address(out),
            sides=builder.address(sides),
            points=points,
            depth=depth,
            x_row=rows.strides[0],
            group=groups.size,
            part=groups.part,
            bits=codes.bits,
            rows_per_task=each_task,
        ),
        tasks,
    )
    sums = stored[:].reshape(filters, parts, groups.part).sum(2, dtype=np.int32) - coding.centre * groups.part
    starts = padded_rows((OF_BYTES.offset - MIDDLE) * sums.T)
    address = builder.constant(starts, starts.dtype)
    return out, codes._replace(part=groups.part, sides=builder.address(sides), starts=address)


def stored_weights(
    op: FusedPackedMatMul, builder: Builder, coding: Coding, vectors: int, *, needs_zeros: bool = False
) -> tuple[Address, Codes]:
    """The panels of weights of few bits, and their layout; zeros that are all 0 are left out unless they are needed."""
    stored, bits, centre, form, table = coding
    filters, groups, each = stored.shape
    padded = padded_columns(filters)
    zeros = _by_group(op.weights.zero - np.float32(centre), filters, groups)
    given = builder.constant(zeros if needs_zeros or zeros.any() else None)
    source = stored.pairs if isinstance(stored, Nibbles) else stored
    panels = builder.packed(
        ("codes", bits, centre), source, vectors, lambda: _panels(stored, source, centre, bits, vectors)
    )
    scale = op.weights.scale
    if scale is None:
        scales = builder.constant(_by_group(np.ones((1, 1), np.float32), filters, groups))
    else:
        scales = builder.packed(
            ("scales", groups), scale, vectors, lambda: _by_group(scale, filters, groups), on_disk=False
        )
    layout = Codes(bits, scales, given, padded, each)
    return panels, layout._replace(form=NUMBERS[form], table=builder.constant(table))


def _by_group(side: Array, filters: int, groups: int) -> Array:
    """Numbers [filters, groups] as [groups, padded filters]."""
    found = staying((groups, padded_columns(filters)), np.float32)
    found[:, :filters] = np.broadcast_to(side, (filters, groups)).T
    found[:, filters:] = 0
    return found


def _panels(stored: Array | Nibbles, source: Array, centre: int, bits: int, vectors: int) -> Array:
    """The codes of weights [filters, groups, depth of a group] less ``centre``, packed in panels."""

    def words(part: slice) -> Array:
        if isinstance(stored, Nibbles):
            pairs = stored.pairs[part] ^ np.uint8(_MIDDLE_OF_PAIR if centre else 0)
            return pairs.reshape(len(pairs), -1).view("<u4").T
        codes = stored[part].view(np.uint8) - np.uint8(centre % 256)
        return words_of(codes.reshape(len(codes), -1).T, bits)

    shape = math.prod(stored.shape[1:]) * bits // 32, stored.shape[0]
    return pack(source, words, shape, np.dtype(np.uint32), vectors)


_MIDDLE_OF_PAIR: Final = 0x88
"""The bits that differ between two integers of 4 bits without sign, and these less 8 with sign."""


def emit_matrix(builder: Builder, x: Operand) -> View:
    """[..., K] as rows [M, K] of neighbours, a view or a copy."""
    shape = (math.prod(x.shape[:-1]), x.shape[-1])
    rows = builder.view(x).viewed(shape)
    if rows is not None and (rows.strides[1] == x.itemsize or rows.shape[1] == 1):
        return rows
    return emit_contiguous(builder, x).reshape(shape)
