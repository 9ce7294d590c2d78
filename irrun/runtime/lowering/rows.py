"""Functions of whole rows: normalization and softmax."""

from __future__ import annotations

import numpy as np

from irrun.ops._declared.activation.log_softmax import LogSoftmax
from irrun.ops._declared.activation.softmax import SoftMaxV1, SoftMaxV8
from irrun.ops._declared.fused.fused_layer_norm import FusedLayerNorm
from irrun.runtime.lowering.builder import (
    Builder,
    Unsupported,
    has_f32,
    is_f32,
    lowers,
    memory_order,
    require_f32,
    share,
)
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.symbolic import is_found
from irrun.runtime.view import Operand, View
from irrun_kernels.rows import LayerNorm, Softmax, layer_norm, softmax


@lowers(FusedLayerNorm)
def lower_layer_norm(op: FusedLayerNorm, builder: Builder, data: Operand) -> View:
    """Rows by their mean and variance."""
    _require_rows(data, -1)
    whole = emit_contiguous(builder, data)
    columns = data.shape[-1]
    out = builder.empty(data.shape)
    rows = data.size // columns
    each, tasks = share(rows, 0.5 * data.size)
    builder.call(
        layer_norm,
        LayerNorm(
            builder.address(whole),
            builder.address(out),
            builder.constant(None if op.gamma is None else np.broadcast_to(op.gamma, (columns,))),
            builder.constant(None if op.beta is None else np.broadcast_to(op.beta, (columns,))),
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


@lowers(SoftMaxV1, SoftMaxV8, LogSoftmax)
def lower_softmax(op: SoftMaxV1 | SoftMaxV8 | LogSoftmax, builder: Builder, data: Operand) -> View:
    """Rows of exponentials, divided by their sums, or their logarithms."""
    if data.ndim == 0:
        raise Unsupported("a scalar")
    axis = op.axis % data.ndim
    _require_rows(data, axis)
    order = [other for other in memory_order(data) if other != axis] + [axis]
    whole = emit_contiguous(builder, data.transpose(order))
    columns = data.shape[axis]
    out = builder.empty(whole.shape)
    rows = data.size // columns
    each, tasks = share(rows, 1.0 * data.size + 50 * rows)
    is_log = int(isinstance(op, LogSoftmax))
    builder.call(softmax, Softmax(builder.address(whole), builder.address(out), rows, columns, each, is_log), tasks)
    return out.transpose(np.argsort(order).tolist())


def _require_rows(data: Operand, axis: int) -> None:
    """Raise Unsupported unless an array has rows of f32 that are not empty; if calls find them, there may be none."""
    require_f32(data, holds=is_f32 if is_found(data.shape[axis]) else has_f32)
