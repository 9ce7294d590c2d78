"""Tensors that follow from sizes alone, and the indices of elements that are not zero."""

from __future__ import annotations

import numpy as np

from irrun.ops._declared.condition.non_zero import NonZero
from irrun.ops._declared.generation.range import RangeV1, RangeV4
from irrun.runtime.lowering.builder import I64, Builder, Unsupported, integers, lowers, share
from irrun.runtime.lowering.chains import Expression
from irrun.runtime.lowering.copies import emit_contiguous
from irrun.runtime.symbolic import Number, SymFloat, largest, of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels import nonzero
from irrun_kernels.axes import AXES
from irrun_kernels.elements import KINDS, kind_of
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


@lowers(NonZero)
def lower_nonzero(op: NonZero, builder: Builder, data: Operand) -> View:
    """Indices for all elements, of which only those that were found are used."""
    if not 0 < data.ndim <= AXES:
        raise Unsupported(f"a tensor of {data.ndim} axes")
    truths = _emit_truths(builder, data)
    out = builder.empty((data.ndim, data.size), np.dtype(op.output_type.replace("i", "int")))
    found = builder.empty((1,), I64)
    builder.call(
        nonzero.find_nonzero,
        nonzero.NonZero(
            x=builder.address(truths),
            out=builder.address(out),
            found=builder.address(found),
            size=(*(1,) * (AXES - data.ndim), *data.shape),
            rank=data.ndim,
            elements=data.size,
            kind=KINDS.index(out.dtype.name),
        ),
        1,
    )
    return builder.counted(out, found)


def _emit_truths(builder: Builder, data: Operand) -> View:
    """The flags of elements that differ from zero, in row-major order."""
    if data.dtype == np.bool_:
        return emit_contiguous(builder, data)
    e = Expression(builder)
    x = e.computed(e.read(data))
    return e.emit_into(e("not_equal", x, e.number(0, x.kind)), builder.empty(data.shape, np.dtype(np.bool_)))
