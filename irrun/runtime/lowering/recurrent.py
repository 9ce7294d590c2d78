"""Recurrent sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from irrun.kernels.recurrent_steps import LstmSteps
from irrun.ops.fused.fused_recurrence import FusedRecurrence
from irrun.runtime.lowering.builder import Builder, is_f32, lowers
from irrun.runtime.lowering.conversions import rounded_to_bf16
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.lowering.matrices import multiplied
from irrun.runtime.lowering.products import PAIRS, SINGLES
from irrun.runtime.lowering.stacks import matrices_of
from irrun.runtime.symbolic import of_sizes
from irrun.runtime.view import View
from irrun.tensor.element_type import BF16, F16
from irrun_kernels.recurrent import Lstm, lstm
from irrun_kernels.tiling import padded_columns, panel_vectors, tiling


@lowers(FusedRecurrence)
def recurrence(op: FusedRecurrence, builder: Builder, x: View, *others: Any) -> tuple[View, ...] | None:
    """An LSTM: the shares of the input in all gates as one product, then step by step."""
    *states, lengths = others
    passes = [one for one in op.passes if isinstance(one, LstmSteps)]
    if len(passes) != len(op.passes) or not is_f32(x, *states) or not builder.is_constant(lengths):
        return None
    if op.precision == F16.name:
        return None
    whole = contiguous(builder, x)
    if whole is None or not (lengths == x.shape[1]).all() or any(state.strides[-1] != 4 for state in states):
        return None
    batch, steps, inputs = x.shape
    directions, size = len(passes), states[0].shape[-1]
    projected = builder.empty((directions, batch * steps, 4 * size))
    is_rounded = op.precision == BF16.name
    given = rounded_to_bf16(builder, whole, as_bits=inputs % 2 == 0) if is_rounded else whole
    if given is None:
        return None
    for number, one in enumerate(passes):
        multiplied(builder, one.w, given.reshape(-1, inputs), [projected[number]], one.b)
    hidden = builder.empty((batch, steps, directions, size)).swapaxes(1, 2)
    ends = [builder.empty((batch, directions, size)) for _ in states]
    form = PAIRS if is_rounded else SINGLES
    depth, vectors = form.words(size), panel_vectors(4 * size)
    cut = of_sizes(tiling)(batch, 1, depth, 4 * size)
    matrices = [one.r.transpose(1, 0, 2).reshape(size, 4 * size) for one in passes]
    panels = builder.packed(
        ("gates", form.each),
        passes[0].r,
        vectors,
        lambda: np.concatenate([form.pack(matrix, vectors) for matrix in matrices]),
    )
    rows = -(-batch // cut.rows) * cut.rows
    builder.call(
        lstm,
        Lstm(
            projected=builder.address(projected),
            panels=panels,
            hidden=matrices_of(builder, states[0]),
            cell=matrices_of(builder, states[1]),
            out=matrices_of(builder, hidden),
            end_hidden=matrices_of(builder, ends[0]),
            end_cell=matrices_of(builder, ends[1]),
            batch=batch,
            steps=steps,
            size=size,
            reverse=sum(1 << number for number, back in enumerate(op.reverse) if back),
            next_panels=4 * depth * padded_columns(4 * size),
            tile_rows=cut.rows,
            vectors=cut.vectors,
            halves=form.halves,
        ),
        directions,
        24 * rows + 16 * batch * size + 4 * batch * depth * form.halves,
    )
    return hidden, *ends
