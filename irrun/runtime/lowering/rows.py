"""Functions of whole rows: normalization and softmax."""

from __future__ import annotations

import numpy as np

from irrun.kernels.layout import axes_in_memory
from irrun.ops.activation.softmax import SoftMaxV1, SoftMaxV8
from irrun.ops.fused.fused_layer_norm import FusedLayerNorm
from irrun.runtime.lowering.builder import Builder, is_f32, lowers, share
from irrun.runtime.lowering.copies import contiguous
from irrun.runtime.view import Operand, View
from irrun_kernels.rows import LayerNorm, Softmax, layer_norm, softmax


@lowers(FusedLayerNorm)
def normalized(op: FusedLayerNorm, builder: Builder, data: Operand) -> View | None:
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


@lowers(SoftMaxV1, SoftMaxV8)
def softmaxed(op: SoftMaxV1 | SoftMaxV8, builder: Builder, data: Operand) -> View | None:
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
    return out.transpose(np.argsort(order).tolist())
