"""Counts the arithmetic of one call of a step from the observed shapes."""

from __future__ import annotations

import math

from irrun.model.flops import multiply_adds
from irrun.ops.fused.fused_attention import FusedAttention
from irrun.ops.fused.fused_convolution import FusedConvolution
from irrun.ops.fused.fused_integer_convolution import FusedIntegerConvolution
from irrun.ops.fused.fused_integer_matmul import FusedIntegerMatMul
from irrun.ops.fused.fused_integer_product import FusedIntegerProduct
from irrun.ops.fused.fused_matmul import FusedMatMul
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.ops.fused.fused_recurrence import FusedRecurrence
from irrun.ops.fused.fused_transposed_convolution import FusedTransposedConvolution
from irrun.runtime.observers import Timing

_WEIGHTED = (FusedConvolution, FusedIntegerProduct, FusedMatMul, FusedPackedMatMul, FusedTransposedConvolution)


def flops(timing: Timing) -> int | None:
    """Return the arithmetic operations of one call, a multiply-add counted as two; None for uncounted steps.

    A fused step counts as the matrix product or convolution in it.
    """
    op = timing.step.node.op
    if op is None or not timing.outputs:
        return None
    inputs, output = [shape or () for shape in timing.inputs], timing.outputs[0] or ()
    match op:
        case FusedConvolution() | FusedIntegerConvolution():
            return 2 * math.prod(output) * math.prod(op.weights.shape[2:])
        case FusedMatMul() | FusedPackedMatMul() | FusedIntegerMatMul():
            return 2 * math.prod(output) * int(op.weights.shape[0])
        case FusedAttention():
            query, value = inputs[0], inputs[2]
            return 2 * math.prod(query[:-1]) * value[-2] * (query[-1] + value[-1])
        case FusedTransposedConvolution():
            return 2 * math.prod(inputs[0]) * math.prod(op.weights.shape[1:])
        case FusedRecurrence():
            batch, steps, _ = inputs[0]
            return 2 * batch * steps * sum(own.w.size + own.r.size for own in op.weights)
    counted = multiply_adds(op, inputs, output)
    return None if counted is None else 2 * counted


def moved(timing: Timing) -> int:
    """Return the bytes that one call reads and writes: inputs, outputs, and the weights stored in a fused step."""
    op = timing.step.node.op
    if isinstance(op, _WEIGHTED):
        return timing.bytes + op.weights.nbytes
    if isinstance(op, FusedRecurrence):
        return timing.bytes + sum(own.w.nbytes + own.r.nbytes for own in op.weights)
    return timing.bytes
