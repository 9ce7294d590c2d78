"""Tensors that follow from sizes alone."""

from __future__ import annotations

import numpy as np

from irrun.ops._declared.generation.range import RangeV1, RangeV4
from irrun.runtime.lowering.builder import Builder, Unsupported, integers, lowers, share
from irrun.runtime.symbolic import Number, SymFloat, largest, of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.elements import kind_of
from irrun_kernels.ramp import RUN, Ramp, ramp


@lowers(RangeV1, RangeV4, numbers=(0, 1, 2))
def lower_range(op: RangeV1 | RangeV4, builder: Builder, start: Operand, stop: Operand, step: Operand) -> View:
    """The numbers from start up to stop: integers by a call, others by NumPy when the run begins."""
    bounds = [integers(x, "a bound")[0] for x in (start, stop, step)]
    types = [op.output_type.dtype] if isinstance(op, RangeV4) else [x.dtype for x in (start, stop, step)]
    dtype = next((each for each in types if not each.hasobject), None)
    if dtype is None:
        raise Unsupported("bounds that all depend on sizes")
    first, end, apart = bounds
    if isinstance(apart, int) and apart and not any(isinstance(bound, float | SymFloat) for bound in bounds):
        return emit_range(builder, first, largest(_count(end - first, apart), 0), apart, dtype)

    def numbers(*given: float) -> Array:
        return op.run(*(np.array(number, dtype if isinstance(op, RangeV1) else None) for number in given))

    count = of_sizes(lambda *given: numbers(*given).size)(*bounds)
    return builder.view(builder.table(numbers, bounds, (count,), dtype))


def _count(span: Number, step: int) -> Number:
    """The elements of a span, in whole steps."""
    return -(-span // step) if step > 0 else -(span // -step)


def emit_range(builder: Builder, start: Number, count: Number, step: int, dtype: np.dtype[np.generic]) -> View:
    """The arithmetic sequence of ``count`` elements."""
    kind = kind_of(dtype)
    if kind is None:
        raise Unsupported(f"elements of {dtype_text(dtype)}")
    out = builder.empty((count,), dtype)
    each, tasks = share(count, 0.5 * count)
    builder.call(ramp, Ramp(builder.address(out), kind, dtype.itemsize, count, start, step, each), tasks, 8 * RUN)
    return out
