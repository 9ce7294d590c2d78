"""Sequences of numbers, running sums, elements that are largest or not zero."""

from __future__ import annotations

from typing import Final

import numpy as np

from irrun.ops._declared.arithmetic.cum_sum import CumSum
from irrun.ops._declared.condition.non_zero import NonZero
from irrun.ops._declared.generation.range import RangeV1, RangeV4
from irrun.ops._declared.sort.top_k import TopKV1, TopKV3, TopKV11
from irrun.runtime.lowering.builder import I64, Builder, Unsupported, empty_as, integers, lowers, share
from irrun.runtime.lowering.chains import Expression, emit_type
from irrun.runtime.lowering.copies import emit_contiguous, likely_order, table_of_axes
from irrun.runtime.symbolic import Number, SymFloat, largest, of_sizes
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.axes import Axes, walk_bytes
from irrun_kernels.elements import KINDS
from irrun_kernels.native import NOWHERE
from irrun_kernels.scans import NonZero as NonZeroArguments
from irrun_kernels.scans import Scan, find_nonzero, scan
from irrun_kernels.top import Top, top, workspace_of

_SUMMED: Final = [np.dtype(letter) for letter in "fdiq"]
"""Types that are summed as they are; other integers are converted."""


@lowers(CumSum, numbers=(1,))
def lower_cumsum(op: CumSum, builder: Builder, data: Operand, axis: Operand | None = None) -> View:
    """Running sums."""
    along = 0 if axis is None else integers(axis, "an axis")[0]
    if not data.ndim or not -data.ndim <= along < data.ndim:
        raise Unsupported(f"axis {along} of {data.ndim} axes")
    if op.reverse or op.exclusive:
        raise Unsupported("a running sum from the end, or without the element itself")
    place = int(along) % data.ndim
    x = data if data.dtype in _SUMMED else emit_type(builder, data, I64)
    out = empty_as(builder, x, x.dtype)
    source = builder.view(x)
    lines, axes, tables = _lines(builder, place, source, out)
    _, tasks = share(lines, 1.0 * data.size)
    arguments = Scan(
        builder.address(source),
        builder.address(out),
        axes,
        source.shape[place],
        source.strides[place],
        out.strides[place],
        KINDS[x.dtype],
        tasks,
    )
    builder.call(scan, arguments, tasks, walk_bytes(data.ndim - 1, 3), tables)
    return emit_type(builder, out, data.dtype)


@lowers(TopKV1, TopKV3, TopKV11, numbers=(1,))
def lower_topk(op: TopKV1 | TopKV3 | TopKV11, builder: Builder, data: Operand, k: Operand) -> tuple[View, View]:
    """The elements that come first, and their indices."""
    wanted, axis = integers(k, "k")[0], op.axis % data.ndim
    count = data.shape[axis]
    kind = KINDS.get(data.dtype)
    if kind is None or data.dtype == np.float64 or op.sort == "index":
        raise Unsupported(f"elements of {dtype_text(data.dtype)} by {op.sort}")
    if not 0 <= wanted <= count:
        raise Unsupported(f"{wanted} of {count} elements")
    shape = [*data.shape[:axis], wanted, *data.shape[axis + 1 :]]
    out, places = builder.empty(shape, data.dtype), builder.empty(shape, I64)
    x = builder.view(data)
    rows, axes, tables = _lines(builder, axis, x, out, places)
    _, tasks = share(rows, 2.0 * data.size + 20 * out.size)
    arguments = Top(
        builder.address(x),
        builder.address(out),
        builder.address(places),
        axes,
        count,
        wanted,
        x.strides[axis],
        out.strides[axis],
        places.strides[axis],
        kind=kind,
        width=x.itemsize,
        smallest=int(op.mode == "min"),
        tasks=tasks,
    )
    builder.call(top, arguments, tasks, workspace_of(data.ndim - 1, wanted), tables)
    return out, emit_type(builder, places, np.dtype(op.index_element_type.replace("i", "int")))


def _lines(builder: Builder, axis: int, *arrays: View) -> tuple[Number, Axes, dict[str, list[Number]]]:
    """The number of lines along an axis, and the other axes of arrays, in the memory order of the second."""
    order = [other for other in likely_order(arrays[1]) if other != axis]
    lines = [array.transpose([*order, axis])[..., 0] for array in arrays]
    return lines[0].size, *table_of_axes(builder, lines, lines[0].shape, range(len(order)))


@lowers(RangeV1, RangeV4, numbers=(0, 1, 2))
def lower_range(op: RangeV1 | RangeV4, builder: Builder, start: Operand, stop: Operand, step: Operand) -> View:
    """The numbers from start up to stop, which NumPy writes when the run begins."""
    bounds = [integers(x, "a bound")[0] for x in (start, stop, step)]
    types = [op.output_type.dtype] if isinstance(op, RangeV4) else [x.dtype for x in (start, stop, step)]
    dtype = next((each for each in types if not each.hasobject), None)
    if dtype is None:
        raise Unsupported("bounds that all depend on sizes")

    def numbers(*given: float) -> Array:
        return op.run(*(np.array(number, dtype if isinstance(op, RangeV1) else None) for number in given))

    first, end, apart = bounds
    if isinstance(apart, int) and apart and not any(isinstance(bound, float | SymFloat) for bound in bounds):
        span = -(-(end - first) // apart) if apart > 0 else -((end - first) // -apart)
        return builder.view(builder.table(np.arange, bounds, (largest(span, 0),), dtype))
    count = of_sizes(lambda *given: numbers(*given).size)(*bounds)
    return builder.view(builder.table(numbers, bounds, (count,), dtype))


@lowers(NonZero)
def lower_nonzero(op: NonZero, builder: Builder, data: Operand) -> View:
    """Indices for all elements, of which only those that were found are used."""
    if not data.ndim:
        raise Unsupported("a scalar")
    truths = _emit_truths(builder, data)
    out = builder.empty((data.ndim, data.size), I64)
    found = builder.empty((1,), I64)
    builder.call(
        find_nonzero,
        NonZeroArguments(
            x=builder.address(truths),
            out=builder.address(out),
            found=builder.address(found),
            axes=Axes(NOWHERE, data.ndim),
            elements=data.size,
        ),
        1,
        tables={"axes_table": data.shape},
    )
    indices = emit_type(builder, out, np.dtype(op.output_type.replace("i", "int")))
    return builder.counted(indices, found)


def _emit_truths(builder: Builder, data: Operand) -> View:
    """The flags of elements that differ from zero, in row-major order."""
    if data.dtype == np.bool_:
        return emit_contiguous(builder, data)
    e = Expression(builder)
    x = e.computed(e.read(data))
    return e.emit_into(e("not_equal", x, e.number(0, x.kind)), builder.empty(data.shape, np.dtype(np.bool_)))
