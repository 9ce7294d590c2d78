"""Recurrent sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.kernels.recurrent import Cell, Gru, Lstm, Rnn
from irrun.ops._declared.fused.fused_recurrence import FusedRecurrence
from irrun.runtime.lowering.builder import BF16_BITS, F32, I64, Builder, Unsupported, lowers, require_f32
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.conversions import emit_rounding
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.lowering.matrices import emit_row_product
from irrun.runtime.lowering.stacks import matrices_of
from irrun.runtime.packing import FORMS, cut_product
from irrun.runtime.symbolic import Number
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import BF16, F16, dtype_text
from irrun_kernels.native import NOWHERE, Address
from irrun_kernels.recurrent import GATES, GRU, GRU_LINEAR, LSTM, RNN_RELU, RNN_TANH, Recurrence, recurrence
from irrun_kernels.tiling import panel_vectors


@lowers(FusedRecurrence, numbers=(2, 3))
def lower_recurrence(op: FusedRecurrence, builder: Builder, x: View, *others: Any) -> tuple[View, ...]:
    """The shares of the input in all gates as one product, then step by step."""
    *states, lengths = others
    passes, kind = op.passes, _kind(op.cell)
    require_f32(x, *states)
    if op.precision == F16.name or passes[0].r.dtype != np.float32:
        raise Unsupported(f"weights of {dtype_text(passes[0].r.dtype)} in {op.precision}")
    batch, steps, inputs = x.shape
    directions, size, gates = len(passes), passes[0].r.shape[1], GATES[kind]
    if inputs != passes[0].w.shape[0] or lengths.shape != (batch,):
        raise Unsupported("an input that does not fit the weights, or the lengths")
    if any(state.shape != (batch, directions, size) for state in states):
        raise Unsupported("states that do not fit the input")
    whole = emit_contiguous(builder, x)
    counts = _emit_lengths(builder, lengths, steps)
    states = [state if state.strides[-1] == 4 else emit_contiguous(builder, state) for state in states]
    projected = builder.empty((directions, batch * steps, gates * size))
    is_rounded = op.precision == BF16.name
    given = emit_rounding(builder, whole, BF16, as_bits=inputs % 2 == 0) if is_rounded else whole
    for number, one in enumerate(passes):
        emit_row_product(builder, one.w, given.reshape(-1, inputs), [projected[number]], one.b)
    hidden = builder.empty((batch, steps, directions, size)).swapaxes(1, 2)
    ends = [builder.empty((batch, directions, size)) for _ in states]
    form = FORMS[BF16_BITS if is_rounded else F32]._replace(is_padded=False)
    depth, vectors = -(-size // form.each), panel_vectors(gates * size)
    cut = cut_product(batch, 1, depth, gates * size)

    def packed(part: slice) -> Address:
        """The weights of some gates for all directions."""

        def of_gates() -> Array:
            return form.panels(np.stack([one.r[part].swapaxes(0, 1).reshape(1, size, -1) for one in passes]), vectors)

        return builder.packed(("gates", form.each, part.start), passes[0].r, vectors, of_gates, on_disk=False)

    inner = [one.inner for one in passes if one.inner is not None]
    rows = -(-batch // cut.rows) * cut.rows
    arguments = Recurrence(
        projected=builder.address(projected),
        panels=packed(slice(2) if kind == GRU else slice(None)),
        hidden=matrices_of(builder, states[0][:, :, None]),
        out=matrices_of(builder, hidden),
        end_hidden=matrices_of(builder, ends[0][:, :, None]),
        kind=kind,
        gates=gates,
        batch=batch,
        steps=steps,
        size=size,
        reverse=sum(1 << number for number, back in enumerate(op.reverse) if back),
        tile_rows=cut.rows,
        vectors=cut.vectors,
        bf16=int(is_rounded),
        inner=builder.constant(np.stack(inner) if inner else None),
        lengths=counts,
    )
    if kind == GRU:
        arguments = arguments._replace(last_panels=packed(slice(2, None)))
    if kind == LSTM:
        cell, end_cell = (matrices_of(builder, each[1][:, :, None]) for each in (states, ends))
        arguments = arguments._replace(cell=cell, end_cell=end_cell)
    words = batch * size * (gates + 1) + batch * depth * is_rounded
    builder.call(recurrence, arguments, directions, 24 * rows + 4 * words)
    return hidden, *ends


def _kind(cell: Cell) -> int:
    """The number of a cell."""
    if isinstance(cell, Rnn):
        return RNN_TANH if cell.activations[0] == "tanh" else RNN_RELU
    if isinstance(cell, Lstm):
        return LSTM
    return GRU_LINEAR if isinstance(cell, Gru) and cell.linear_before_reset else GRU


def _emit_lengths(builder: Builder, lengths: Operand, steps: Number) -> Address:
    """The address of the lengths of sequences, nowhere if all are whole."""
    if isinstance(lengths, np.ndarray):
        counts = lengths.reshape(-1).tolist()
        if all(count == steps for count in counts):
            return NOWHERE
        return builder.address(builder.view(builder.numbers(counts)))
    e = Expression(builder)
    whole = lengths if lengths.dtype == I64 else e.emit(e.computed(e.read(lengths)), I64)
    return builder.address(emit_contiguous(builder, whole))
