"""Counts the arithmetic of one call of a step from the observed shapes."""

from __future__ import annotations

from irrun.ops.fused.fused_convolution import FusedConvolution
from irrun.ops.fused.fused_integer_product import FusedIntegerProduct
from irrun.ops.fused.fused_matmul import FusedMatMul
from irrun.ops.fused.fused_packed_matmul import FusedPackedMatMul
from irrun.ops.fused.fused_recurrence import FusedRecurrence
from irrun.ops.fused.fused_transposed_convolution import FusedTransposedConvolution
from irrun.ops.work import Sizes
from irrun.runtime.observers import Timing

_WEIGHTED = (FusedConvolution, FusedIntegerProduct, FusedMatMul, FusedPackedMatMul, FusedTransposedConvolution)


def flops(timing: Timing) -> int | None:
    """Return the arithmetic operations of one call, a multiply-add counted as two; None for uncounted steps.

    A fused step counts as the matrix product or convolution in it.
    """
    op = timing.step.node.op
    if op is None or op.multiply_adds is None or not timing.outputs:
        return None
    return 2 * op.multiply_adds(Sizes(tuple(shape or () for shape in timing.inputs), timing.outputs[0] or ()))


def moved(timing: Timing) -> int:
    """Return the bytes that one call reads and writes: inputs, outputs, and the weights stored in a fused step."""
    op = timing.step.node.op
    if isinstance(op, _WEIGHTED):
        return timing.bytes + op.weights.nbytes
    if isinstance(op, FusedRecurrence):
        return timing.bytes + sum(own.w.nbytes + own.r.nbytes for own in op.weights)
    return timing.bytes
