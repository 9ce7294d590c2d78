"""Rows of weights that are stored in few bits."""

from __future__ import annotations

from irrun.kernels.lookup import Lookup, Nibbles
from irrun.ops._declared.fused.fused_packed_gather import FusedPackedGather
from irrun.runtime.lowering.builder import F32, Builder, lowers
from irrun.runtime.lowering.chains import ChainValue, Expression
from irrun.runtime.lowering.copies import emit_copy
from irrun.runtime.lowering.gathers import emit_gather
from irrun.runtime.view import Operand, View
from irrun.tensor import Array

_MIDDLE = 8
"""The code of 4 bits that is the first negative one."""


@lowers(FusedPackedGather)
def lower_packed_gather(op: FusedPackedGather, builder: Builder, indices: Operand) -> View:
    """Pick codes, zeros and scales, and compute (code - zero) * scale, or (number - zero) * scale with a table."""
    stored = op.stored
    is_packed = isinstance(stored, Nibbles)
    signed = isinstance(stored, Nibbles) and stored.signed

    def rows_of(weights: Array, places: Operand = indices, wraps: bool = op.from_end) -> View:
        return emit_gather(builder, weights, places, wraps=wraps)

    if isinstance(stored, Lookup):
        numbers = rows_of(stored.of_bytes, rows_of(stored.stored), wraps=False)
        codes = numbers.reshape((*indices.shape, *stored.shape[1:]))
    else:
        codes = rows_of(stored.pairs if isinstance(stored, Nibbles) else stored)
    sides = [None if side is None else rows_of(side) for side in (op.zero, op.scale)]
    parts = [_emit_decompressed(builder, codes, part, signed, sides) for part in ((0, 1) if is_packed else (None,))]
    shape = (*indices.shape, *op.row)
    if len(parts) == 1:
        return parts[0].reshape(shape)
    out = builder.empty((*parts[0].shape, len(parts)), F32)
    for number, part in enumerate(parts):
        emit_copy(builder, part, out[..., number])
    return out.reshape(shape)


def _emit_decompressed(builder: Builder, codes: View, part: int | None, signed: bool, sides: list[View | None]) -> View:
    """The numbers that codes stand for, or each second one of codes of 4 bits."""
    e = Expression(builder)
    value = e.read(codes)
    if part is not None:
        value = _nibble(e, value, part, signed)
    value = value if value.kind == "f" else e("to_f", value)
    for name, side in zip(("subtract", "multiply"), sides, strict=True):
        if side is not None:
            step = 1 if part is None or side.shape[-1] == 1 else 2
            value = e(name, value, e.read(side[..., (part or 0) % step :: step]))
    return e.emit(value, F32)


def _nibble(e: Expression, byte: ChainValue, part: int, signed: bool) -> ChainValue:
    whole = e("to_q", byte)
    code = e("bitwise_and" if part == 0 else "right_shift", whole, e.number(15 if part == 0 else 4, "q"))
    if not signed:
        return code
    return e("subtract", e("bitwise_xor", code, e.number(_MIDDLE, "q")), e.number(_MIDDLE, "q"))
