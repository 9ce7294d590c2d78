"""Tensors that follow from sizes alone."""

from __future__ import annotations

import numpy as np

from irrun.ops.generation.range import RangeV1, RangeV4
from irrun.runtime.lowering.builder import Builder, Unsupported, integers, lowers, share
from irrun.runtime.symbolic import Number, largest
from irrun.runtime.view import Operand, View
from irrun_kernels.elements import kind_of
from irrun_kernels.ramp import RUN, Ramp, ramp


@lowers(RangeV1, RangeV4, numbers=(0, 1, 2))
def lower_range(op: RangeV1 | RangeV4, builder: Builder, start: Operand, stop: Operand, step: Operand) -> View:
    """The integers from start up to stop; the step is a constant."""
    if any(x.dtype.kind not in "iuO" for x in (start, stop, step)):
        raise Unsupported("bounds that are not integers")
    (first,), (end,), (apart,) = (integers(x, "a bound") for x in (start, stop, step))
    dtype = op.output_type.dtype if isinstance(op, RangeV4) else step.dtype
    if not isinstance(apart, int) or apart == 0:
        raise Unsupported("a step that depends on sizes")
    return sequence(builder, first, largest(_count(end - first, apart), 0), apart, dtype)


def _count(span: Number, step: int) -> Number:
    """The elements of a span, in whole steps."""
    return -(-span // step) if step > 0 else -(span // -step)


def sequence(builder: Builder, start: Number, count: Number, step: int, dtype: np.dtype[np.generic]) -> View:
    """The arithmetic sequence with so many elements."""
    kind = kind_of(dtype)
    if kind is None:
        raise Unsupported(f"elements of {dtype}")
    out = builder.empty((count,), dtype)
    each, tasks = share(count, 0.5 * count)
    builder.call(ramp, Ramp(builder.address(out), kind, dtype.itemsize, count, start, step, each), tasks, 8 * RUN)
    return out
