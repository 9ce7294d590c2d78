"""Copies of arrays, and what is made of them alone: arrays with a border, and concatenations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irrun.ops._declared.movement.concat import Concat
from irrun.runtime.lowering.builder import I64, Builder, Unsupported, broadcast, empty_as, lowers, share
from irrun.runtime.symbolic import Number, hint_of, is_same
from irrun.runtime.view import Operand, View
from irrun.tensor import Array
from irrun.tensor.element_type import dtype_text
from irrun_kernels.axes import Axes, walk_bytes
from irrun_kernels.moves import Move, move
from irrun_kernels.native import NOWHERE


def emit_copy(
    builder: Builder, source: Operand, target: View, places: Operand | None = None, *, checked: bool = False
) -> View:
    """Copy an array to the target, which is returned; Unsupported for different types.

    ``places``, which broadcast to the target, are added to those in the source, in elements. There are zeros for those
    outside, which are an error if they are ``checked``.
    """
    shape, width = target.shape, target.itemsize
    if source.dtype != target.dtype:
        raise Unsupported(f"elements of {dtype_text(source.dtype)} and {dtype_text(target.dtype)}")
    if width not in (1, 2, 4, 8) or target.dtype.hasobject:
        raise Unsupported(f"elements of {dtype_text(target.dtype)}")
    axes, tables = table_of_axes(builder, [source, target, places], shape, likely_order(target))
    _, tasks = share(target.size, 0.1 * width * target.size)
    misfit = builder.failure if checked else NOWHERE
    x, out, at = map(builder.address, (source, target, places))
    builder.call(move, Move(x, out, at, misfit, axes, width, tasks), tasks, walk_bytes(len(shape), 3), tables)
    return target


def emit_picks(
    builder: Builder,
    data: Operand,
    sizes: Mapping[int, Number],
    indices: Callable[..., Iterable[Array]],
    numbers: Sequence[Number],
) -> View:
    """Copy the elements at some indices of axes, which become ``sizes``; ``indices(*numbers)`` are those of each axis.

    The axes are in ascending order.
    """
    source = builder.view(data)
    if not sizes:
        return source
    steps = [source.strides[axis] // source.itemsize for axis in sizes]

    def places(*values: Any) -> Array:
        return functools.reduce(np.add.outer, map(np.multiply, values, indices(*values[len(steps) :])))

    table = builder.table(places, [*steps, *numbers], [*sizes.values()], I64)
    shape = [sizes.get(axis, size) for axis, size in enumerate(data.shape)]
    out = builder.wanted(shape, data.dtype) or empty_as(builder, data, data.dtype, shape)
    first = source[tuple(slice(0, 1) if axis in sizes else slice(None) for axis in range(data.ndim))]
    spread = part_of(table, *(slice(None) if axis in sizes else None for axis in range(data.ndim)))
    return emit_copy(builder, first, out, spread)


def likely_order(x: View) -> list[int]:
    """The axes in the order of memory for the sizes of which a plan is lowered; a program is not limited to these."""
    return sorted(range(x.ndim), key=lambda axis: -abs(hint_of(x.strides[axis])))


def table_of_axes(
    builder: Builder, arrays: Sequence[Operand | None], shape: Sequence[Number], order: Sequence[int]
) -> tuple[Axes, dict[str, list[Number]]]:
    """Return the axes of arrays that broadcast to a shape, in an order, and the table that they refer to."""
    strides = [(0,) * len(shape) if x is None else broadcast(builder, x, shape).strides for x in arrays]
    return Axes(NOWHERE, len(shape)), {"axes_table": [row[axis] for row in (shape, *strides) for axis in order]}


def emit_contiguous(builder: Builder, x: Operand) -> View:
    """The array, or a contiguous copy of it."""
    x = builder.view(np.ascontiguousarray(x).reshape(x.shape) if isinstance(x, np.ndarray) else x)
    return x if x.is_contiguous else emit_copy(builder, x, builder.empty(x.shape, x.dtype))


def part_of(x: Any, *keys: Any) -> Any:
    """A view of a part of an array, with keys for its first axes."""
    return x[(*keys, ...)]


def emit_padded(builder: Builder, x: Operand, out: View, before: Sequence[Number], value: Operand) -> View:
    """Copy an array into another one, from a place on, and a number to all elements beside it; return the latter."""
    keys: list[slice] = []
    for begin, size, whole in zip(before, x.shape, out.shape, strict=True):
        end = begin + size
        for width, key in ((begin, slice(0, begin)), (whole - end, slice(end, whole))):
            if not is_same(width, 0):
                emit_copy(builder, value, out[(*keys, key)])
        keys.append(slice(begin, end))
    emit_copy(builder, x, out[tuple(keys)])
    return out


@lowers(Concat)
def lower_concat(op: Concat, builder: Builder, *inputs: Operand) -> View:
    """The inputs copied behind each other, as far as they were not computed there."""
    first = inputs[0]
    axis = op.axis % first.ndim
    if any(x.dtype != first.dtype or x.ndim != first.ndim for x in inputs):
        raise Unsupported("inputs of different types or ranks")
    if any(x.shape[other] != first.shape[other] for x in inputs[1:] for other in range(first.ndim) if other != axis):
        raise Unsupported("inputs of different sizes")
    sizes = list(first.shape)
    sizes[axis] = sum(x.shape[axis] for x in inputs)
    out = builder.wanted(sizes, first.dtype) or empty_as(builder, first, first.dtype, sizes)
    place = 0
    for x in inputs:
        target = out[(*(slice(None),) * axis, slice(place, place + x.shape[axis]))]
        if not _is_in_place(x, target):
            emit_copy(builder, x, target)
        place += x.shape[axis]
    return out


def _is_in_place(x: Operand, target: View) -> bool:
    """Return whether an array was computed where it is copied to."""
    return isinstance(x, View) and x.buffer == target.buffer and is_same(x.offset, target.offset)
